// A pprof file of 1,000,000 samples, made once.
import { writeLargeProfile } from '../pprof-writer.mjs';
import { once } from './build-folder.mjs';

export const largeProfile = () =>
  once('large.pb.gz', 'write large.pb.gz', (file) => writeLargeProfile(file, { samples: 1_000_000 }));
