"""Plain HTTP: requests on kept connections, and the page's files as a browser gets them."""
