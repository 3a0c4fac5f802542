"""Methods that publish adjusted values in place of the true ones, instead of suppressing any."""
