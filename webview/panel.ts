// The webview page: connects to the extension host and shows what it is told to show. The page computes nothing over
// samples; it draws columns that the engine made and holds view state only.
import * as l10n from '@vscode/l10n';
import './page/translations.ts';
import './panel.css';
import './comparison.css';
import './allocations.css';
import './calls.css';
import './locks.css';
import './waits.css';
import './measures.css';
import './menu.css';
import './sweep.css';
import './threads.css';
import './timeline.css';
import { CommandWanted } from './page/advice.ts';
import { FormerPage } from './page/formerPage.ts';
import { connect } from './page/host.ts';
import { failurePane, loadingPane } from './page/messagePane.ts';
import { ProfilePage } from './page/profilePage.ts';
import { sweepPage } from './page/sweepPage.ts';

let page: ProfilePage | undefined;
let former: FormerPage | undefined;

const showPane = (pane: HTMLElement) => {
  page = undefined;
  former?.remove();
  document.body.replaceChildren(pane);
};

const host = connect((message) => {
  switch (message.type) {
    case 'loading':
      showPane(loadingPane(message.message));
      break;
    case 'failed':
      showPane(failurePane(message.message, message.advice, () => host.send({ type: 'retry' })));
      break;
    case 'show': {
      // A page that is not drawn yet is not worth seeing.
      const drawn = former?.takeBack() ?? page?.element;
      page = new ProfilePage(host, message);
      document.body.replaceChildren(page.element);
      former = message.isGrowing && drawn ? new FormerPage(drawn) : undefined;
      page.start();
      break;
    }
    case 'showSweep':
      showPane(sweepPage(host, message));
      break;
    case 'view':
      page?.receiveView(message);
      former?.drawn(message.view);
      break;
    case 'viewFailed':
      page?.receiveFailure(message.view, message.message, message.advice);
      former?.drawn(message.view);
      break;
    case 'matched':
      page?.receiveMatched(message);
      break;
    case 'callers':
      page?.receiveCallers(message);
      break;
    case 'explanation':
      page?.explainPane?.show(message.explanation);
      break;
    case 'explanationFailed':
      page?.explainPane?.showFailure(message.message, message.advice);
      break;
    case 'noSource':
      page?.receiveNoSource(message.message);
      break;
    case 'measureChosen':
      page?.receiveMeasure(message.value);
      break;
    case 'timeline':
    case 'timelineFailed':
    case 'selected':
    case 'selectionRefused':
    case 'namesMatched':
    case 'underCursor':
    case 'hottestStack':
      page?.receiveSelection(message);
      break;
    case 'reveal':
      page?.reveal(message);
      break;
  }
});

document.addEventListener(CommandWanted.type, (event) => {
  host.send({ type: 'command', command: (event as CommandWanted).command });
});

document.addEventListener('keydown', (event) => {
  if (page?.key(event)) event.preventDefault();
});

// A state from the start: a window that is reloaded now brings back panels that have one only.
keepPanel(document.body.dataset.panel ?? '');
showPane(loadingPane(l10n.t('Opening the profile…')));
host.send({ type: 'ready' });

function keepPanel(name: string) {
  const saved = host.savedState();
  const known = typeof saved === 'object' && saved !== null && 'panel' in saved && saved.panel === name;
  if (name && !known) host.save({ panel: name });
}
