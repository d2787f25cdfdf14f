"""How well a collection answers: golden questions, BEIR folders, answers, and what is fitted to them."""
