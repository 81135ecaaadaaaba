"""How a reader gets about: addresses and links, what they select, the pages that they name, the menu and the frame."""
