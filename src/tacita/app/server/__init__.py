"""The server of the page: it holds no data, and asks a worker process about all that is data."""
