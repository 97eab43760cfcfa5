// The text that the search program reads: SQLite's source file.
import path from 'node:path';
import { crateSource } from './crate-source.mjs';

export const corpus = async () => path.join(await crateSource('libsqlite3-sys', '0.35.0'), 'sqlite3/sqlite3.c');
