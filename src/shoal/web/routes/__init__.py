"""One file for each screen: its handlers as the API has them, and the page and forms that are made of the same."""
