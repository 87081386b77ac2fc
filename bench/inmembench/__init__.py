"""What bench/run is made of: builds, measure, rows, table."""
