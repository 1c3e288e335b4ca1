"""The journal: facts and outgoing messages in one SQLite file, appended and never changed.

Every commit is one *entry*: the facts of one step, what the table told because of them, and the
stamp. Entries are numbered without gaps and chained by SHA-256; meters, recall and the outbox are
read from them and can be rebuilt from them. Old entries move into archives, which are read alike.
"""
