// A user who swaps files while the sampler is installed, checked and started, and process numbers that are taken over
// while it attaches: 1,000 tries each.
import { tested } from './tested.mjs';

export const title = 'Hostile users: races';

const ofInstalling = 'swapped_while_it_is_installed';
const ofChecking = 'swapped_while_the_engine_checks';
const ofNumbers = 'a_number_that_is_taken_over';

/** Rows, each as soon as its tries are through; a test that fails has no row. */
export async function* measure({ tries = 1000 } = {}) {
  const raced = (only) => tested('privilege', { LINEHEAT_RACES: String(tries) }, only);
  const installing = await raced(ofInstalling);
  yield {
    what: 'the sampler is swapped while root installs it',
    goal: `${tries} refused, or the file that was shown`,
    value: `${installing.installed} the file that was shown, ${installing.refused} refused; ${swaps(installing)}`,
    ok: installing.installed + installing.refused === tries,
  };
  const checking = await raced(ofChecking);
  yield {
    what: 'the sampler is swapped while the engine checks and starts the installed one',
    goal: `${tries} refused, or recorded by the installed one`,
    value: `${checking.recorded} recorded by it, ${checking.refused} refused; ${swaps(checking)}`,
    ok: checking.recorded + checking.refused === tries,
  };
  const numbers = await raced(ofNumbers);
  yield {
    what: "another user's process reuses the pid of one that the sampler attaches to",
    goal: `${tries} tries, no sample of it`,
    value: `${numbers.takenOver} of ${numbers.tries} numbers were taken over, ${numbers.samples} samples`,
    ok: numbers.tries === tries && numbers.samples === 0,
  };
}

const swaps = ({ swaps, attempts }) =>
  `${swaps} swaps, 0 of ${attempts} attempts changed anything at the installed sampler's place`;
