"""The first sentence of each page: an analysis's rows in words, with the numbers behind them."""
