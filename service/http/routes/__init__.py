"""The routes of the API and the pages, one blueprint a topic."""
