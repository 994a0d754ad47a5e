import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { closeCleanly, enter } from '../support/chromium.ts'
import { inConsole, isWhole, openConsole, violationsOf } from '../support/console.ts'
import { administrator, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

/** More than the list is read of by day. */
const EVENTS = isWhole ? 10_000 : 1_000
const BATCH = 100
/** Rows that a list keeps at once, and rows of one page. */
const [MOST, PAGE] = [200, 50]

inConsole('a long list in the console', 'sqlite', (engine) => {
  const server = usePostern(engine)

  async function publish({ client, token }: Person): Promise<void> {
    const data = { orderId: 'ord_1' }
    await client.post(
      '/v1/event-types',
      { name: 'order.paid', schema: { type: 'object' }, example: data },
      { token },
    )
    for (let sent = 0; sent < EVENTS; sent += BATCH) {
      const events = Array.from({ length: BATCH }, () => ({ type: 'order.paid', data }))
      const answer = await client.post('/v1/events/batch', { events }, { token })
      assert.ok(answer.status < 300, answer.text)
    }
  }

  /** Ids of the newest rows, as the API lists them. */
  async function listed({ client, token }: Person, many: number): Promise<string[]> {
    const ids: string[] = []
    let cursor = ''
    while (ids.length < many) {
      const { body } = await client.get(`/v1/events?limit=100${cursor}`, { token })
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
    }
    return ids.slice(0, many)
  }

  const shown = (page: Page): Promise<string[]> =>
    page
      .locator('tbody a.table-link')
      .evaluateAll((links) => links.map((link) => String(link.getAttribute('href')).replace(/^.*\//, '')))

  it('goes as far as one likes, and keeps no more than a few pages of it: in order, none left out, each by its place', async () => {
    const admin = await administrator(await server())
    await publish(admin)
    const presses = isWhole ? EVENTS / PAGE - 1 : 9
    const ids = await listed(admin, (presses + 1) * PAGE)
    const browsing = await openConsole(await server(), admin, '/events')
    const { page } = browsing
    const more = page.getByRole('button', { name: 'Show more' })
    const seenAt = (id: string) =>
      page.locator(`tbody a[href$="${id}"]`).evaluate((link) => link.getBoundingClientRect().top)
    await more.focus()
    for (let press = 1; press <= presses; press += 1) {
      const last = ids[press * PAGE - 1] as string
      await more.scrollIntoViewIfNeeded()
      const before = await seenAt(last)
      await enter(more)
      await page.locator(`tbody a[href$="${ids[(press + 1) * PAGE - 1]}"]`).waitFor({ state: 'attached' })
      const rows = await shown(page)
      const end = (press + 1) * PAGE
      assert.deepEqual(rows, ids.slice(Math.max(0, end - MOST), end))
      const moved = Math.abs((await seenAt(last)) - before)
      assert.ok(moved <= 2, `what was looked at has moved by ${moved} pixels`)
      if (press < presses) await more.and(page.locator(':focus')).waitFor()
    }
    const [end, offset] = [(presses + 1) * PAGE, (presses + 1) * PAGE - MOST]
    await page
      .getByText(`events ${offset + 1} to ${end}`, { exact: true })
      .first()
      .waitFor()
    await page.locator('#announcer', { hasText: `events ${offset + 1} to ${end}` }).waitFor()
    const first = page.locator('tbody tr').first()
    assert.equal(await first.getAttribute('aria-rowindex'), String(offset + 2))
    assert.deepEqual(await violationsOf(page), [])
    // A step beyond the last row reads the next page.
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('j')
    await page.locator(`tr.table-cursor[aria-rowindex="${offset + 2}"]`).waitFor()
    await page.keyboard.press('k')
    await page.locator(`tbody a[href$="${ids[offset - PAGE]}"]`).waitFor()
    assert.deepEqual(await shown(page), ids.slice(offset - PAGE, end - PAGE))
    await page.getByRole('button', { name: 'Show previous' }).click()
    await page.locator(`tbody a[href$="${ids[offset - 2 * PAGE]}"]`).waitFor()
    // A delivery that is published now is first in the list.
    const { body } = await admin.client.post(
      '/v1/events',
      { type: 'order.paid', data: { orderId: 'ord_2' } },
      { token: admin.token },
    )
    await enter(page.getByRole('button', { name: 'Back to the start' }))
    await page.locator(`tbody a[href$="${body.id}"]`).waitFor()
    assert.deepEqual(await shown(page), [body.id, ...ids].slice(0, MOST))
    await more.and(page.locator(':focus')).waitFor()
    await closeCleanly(browsing)
  })
})
