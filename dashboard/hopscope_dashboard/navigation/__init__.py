"""Ways between pages: addresses, links and selections, the pages, the menu and the frame."""
