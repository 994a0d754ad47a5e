import { render } from 'preact'
import { App } from './app.tsx'
import { MINUTE } from './clock.ts'
import { forgetAll, refreshOld } from './data/cache.ts'
import { openSession, session, tokenFor } from './data/session.ts'
import { startKeys } from './keys.ts'
import { organizationId, startRouter } from './router.ts'

startRouter()
startKeys()
session.subscribe(() => {
  if (session.get().state === 'out') forgetAll()
})
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refreshOld(MINUTE)
})
addEventListener('online', () => refreshOld(0))
void openSession()
// Beside it, not behind it: the screen's first call needs both. Whether it went wrong is that call's matter.
const organization = organizationId()
if (organization !== undefined) tokenFor(organization).catch(() => {})

const place = document.getElementById('app')
if (place !== null) {
  place.replaceChildren()
  render(<App />, place)
}
