"""Databases for the tests: what is asked of them directly, beside what is tested."""

import duckdb
from cli.server import PASSWORD, USER


class Duck:
    """A DuckDB file in a folder; the name of a table behind ``base`` tells where it is."""

    def __init__(self, folder, seen_from_there=True):
        self.folder = folder
        self.base = f"duckdb:///{'' if seen_from_there else f'{folder}/'}clinic.db?table="

    def run(self, statement):
        with duckdb.connect(str(self.folder / "clinic.db")) as db:
            return db.execute(statement).fetchall()


class Postgres:
    """A database of its own on the server."""

    made = 0

    def __init__(self, port):
        self.port, self.database = port, "postgres"
        Postgres.made += 1
        name = f"clinic{Postgres.made}"
        self.run(f"CREATE DATABASE {name}", autocommit=True)
        self.database = name
        self.base = f"{self.address}?table="

    @property
    def address(self):
        return f"postgresql://{USER}:{PASSWORD.replace('/', '%2F')}@127.0.0.1:{self.port}/{self.database}"

    def run(self, statement, *, autocommit=False):
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.address, autocommit=autocommit) as db, db.cursor() as cursor:
            cursor.execute(statement)
            found = cursor.fetchall() if statement.lstrip().upper().startswith("SELECT") else []
            if not autocommit:
                db.commit()
            return found
