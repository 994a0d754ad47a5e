import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openConsole } from '../test/support/console.ts'
import { fillConsole } from '../test/support/console-data.ts'
import { startPostern } from '../test/support/postern.ts'
import { startReceiver } from '../test/support/receiver.ts'

/**
 * `npm run console:screenshots`: renews the pictures of docs/console.md. With paths of screens (`/webhooks`, `/webhooks/:id`) it takes
 * those, in both themes, wide and narrow, into the folder that `OUT` names.
 */
const named = process.argv.slice(2)
const folder = process.env.OUT ?? join(import.meta.dirname, 'console')
mkdirSync(folder, { recursive: true })

/** The pictures of the document. */
const PICTURES = [
  { path: '/', name: 'overview', colorScheme: 'light', width: 1_280 },
  { path: '/deliveries', name: 'deliveries', colorScheme: 'light', width: 1_280 },
  { path: '/deliveries/:id', name: 'delivery', colorScheme: 'dark', width: 1_280 },
  { path: '/webhooks', name: 'webhooks-phone', colorScheme: 'light', width: 390 },
] as const

const asked = named.flatMap((path) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [1_280, 390].map((width) => ({
      path,
      name: `${path.slice(1).replaceAll(/[/:]+/g, '-') || 'overview'}-${colorScheme}-${width}`,
      colorScheme,
      width,
    })),
  ),
)

const [postern, receiver] = await Promise.all([startPostern('sqlite'), startReceiver()])
try {
  const { admin, ids } = await fillConsole(postern, receiver)
  for (const { path, name, colorScheme, width } of named.length > 0 ? asked : PICTURES) {
    const viewport = { width, height: width < 600 ? 844 : 860 }
    const address = path.replace(/:\w+/, ids[path] ?? '')
    const { page, faults, close } = await openConsole(postern, admin, address, { colorScheme, viewport })
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: named.length > 0 })
    await close()
    console.log(`${name}.png`, ...faults)
  }
} finally {
  await receiver.stop()
  await postern.stop()
}
process.exit()
