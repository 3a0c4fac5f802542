"""Methods that publish other values in place of the true ones, instead of withholding any."""
