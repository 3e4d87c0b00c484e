"""Pechvogel at the table: steps, words, coach, terminal, page."""
