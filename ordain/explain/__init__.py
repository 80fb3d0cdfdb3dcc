"""What a ranking rests on: how much each column is worth, how the score goes along it, what moved a single row."""
