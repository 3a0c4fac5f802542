"""Looking at a file before it is protected: columns, hierarchies, risk."""
