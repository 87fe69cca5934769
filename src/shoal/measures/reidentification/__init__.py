"""What an attacker finds who links records: by order, by fit, with errors, or knowing only some attributes."""
