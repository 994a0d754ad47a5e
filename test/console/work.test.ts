import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { closeCleanly, enter } from '../support/chromium.ts'
import { inConsole, openConsole, violationsOf } from '../support/console.ts'
import { callsOf } from '../support/console-work.ts'
import { administrator, member, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'
import { until } from '../support/waits.ts'

inConsole('what the console does with files, knowledge and agents', 'postgres', (engine) => {
  const server = usePostern(engine)
  let made: Promise<Person> | undefined
  const admin = () => {
    made ??= server().then((postern) => administrator(postern, 'Acme'))
    return made
  }
  const open = async (path: string, person?: Person) =>
    openConsole(await server(), person ?? (await admin()), path)

  it('uploads files that are chosen or dropped, and shows by itself when their text has been read', async () => {
    const browsing = await open('/files')
    const { page } = browsing
    await page.locator('input[type=file]').setInputFiles([
      { name: 'one.md', mimeType: 'text/markdown', buffer: Buffer.from('# Prices\n\nTen a month.') },
      { name: 'two.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a00', 'hex') },
    ])
    await page.getByRole('row', { name: /one\.md.*processed/ }).waitFor()
    await page.getByRole('row', { name: /two\.png.*failed.*Files of this kind are not read/ }).waitFor()
    await page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['dropped words'], 'dropped.txt', { type: 'text/plain' }))
      for (const kind of ['dragover', 'drop'])
        dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }))
    }`)
    await page.getByRole('row', { name: /dropped\.txt.*processed/ }).waitFor()
    assert.equal(await page.getByText('Uploads').count(), 0)
    await closeCleanly(browsing)
  })

  it('tells of an upload how far it is, stops it, and says why one was refused', async () => {
    const browsing = await open('/files')
    const { page } = browsing
    // The response waits until the test has seen the text before it.
    let go: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    await page.route('**/v1/files?name=*', async (route) => {
      await held
      await route.continue().catch(() => {})
    })
    const choose = (name: string, text: string) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await choose('slow.txt', 'slow')
    await page.getByRole('progressbar', { name: 'Upload of slow.txt' }).waitFor()
    await page.getByRole('button', { name: 'Cancel the upload of slow.txt' }).click()
    await page.getByText('slow.txt').waitFor({ state: 'detached' })
    await choose('empty.txt', '')
    go()
    await page.getByRole('alert').getByText('Please check your input').waitFor()
    await page.getByRole('button', { name: 'Remove empty.txt from the list' }).click()
    await page.getByText('empty.txt').waitFor({ state: 'detached' })
    await closeCleanly(browsing)
  })

  it('has a file fetched from a URL, and says beside the form why it gave none', async () => {
    const browsing = await open('/files')
    const { page } = browsing
    await enter(page.getByRole('button', { name: 'From a URL' }))
    await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/secret.pdf')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('FILES_ALLOWED_NETWORKS').waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('dialog').count(), 0)
    await closeCleanly(browsing)
  })

  it('shows the text of a file by its places, gives its bytes, reads it again and deletes it', async () => {
    const own = await administrator(await server(), 'Of files')
    const text = '# Returns\n\n<b>Thirty</b> days.\n\n# Shipping\n\nTwo days.'
    const id = await callsOf(await server(), own).upload('terms.md', text)
    const browsing = await open(`/files/${id}`, own)
    const { page } = browsing
    const shown = page.getByRole('region', { name: 'Text of the file' })
    assert.match(String(await shown.textContent()), /<b>Thirty<\/b> days\.[\s\S]*Two days\./)
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Shipping')
    assert.doesNotMatch(String(await shown.textContent()), /Thirty/)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'terms.md')
    assert.equal(await readFile(await download.path(), 'utf8'), text)
    // The response may arrive after the event of the stream.
    await page.route('**/v1/files/*/process', async (route) => {
      const response = await route.fetch()
      await until(
        async () => (await server()).client().get(`/v1/files/${id}`, { token: own.token }),
        ({ body }) => body.status === 'processed',
      )
      // The stream needs time to bring the event to the page.
      await page.waitForTimeout(300)
      await route.fulfill({ response })
    })
    await Promise.all([
      page.waitForResponse(/\/process$/),
      page.getByRole('button', { name: 'Extract again' }).click(),
    ])
    // Long enough for the answer to be shown, were it taken for the last word.
    await page.waitForTimeout(200)
    await page.getByText('processed', { exact: true }).waitFor()
    await enter(page.getByRole('button', { name: 'More' }))
    await enter(page.getByRole('menuitem', { name: 'Delete the file' }))
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No file yet' }).waitFor()
    await closeCleanly(browsing)
  })

  it('says that letters were guessed, and reads them as it is told to', async () => {
    const own = await administrator(await server(), 'Of letters')
    const browsing = await open('/files', own)
    const { page } = browsing
    const buffer = Buffer.from('cff0e8e2e5f22c20ece8f021', 'hex')
    await page.locator('input[type=file]').setInputFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer }])
    await page.getByRole('link', { name: 'a.txt' }).click()
    await page.getByText('The encoding is a guess: windows-1251.').waitFor()
    await page.getByRole('combobox', { name: 'Encoding' }).selectOption('koi8-r')
    await page.getByText('which is a guess').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Encoding' }).waitFor()
    await closeCleanly(browsing)
  })

  it('tells a member why the file of somebody else cannot be deleted', async () => {
    const id = await callsOf(await server(), await admin()).upload('of-ada.txt', 'words', 'text/plain')
    const browsing = await open(`/files/${id}`, await member(await server(), await admin()))
    const { page } = browsing
    await page.getByRole('button', { name: 'More' }).click()
    const item = page.getByRole('menuitem', { name: /Delete the file.*Only its creator/ })
    assert.equal(await item.getAttribute('aria-disabled'), 'true')
    await closeCleanly(browsing)
  })

  it('makes a base, indexes what is added before one’s eyes, and marks what is found of it', async () => {
    const own = await administrator(await server(), 'Of knowledge')
    await callsOf(await server(), own).upload('returns.md', '# Returns\n\nGoods <i>may</i> be sent back.')
    const browsing = await open('/knowledge', own)
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await enter(page.getByRole('button', { name: 'New knowledge base' }).first())
    await dialog.getByLabel('Name').fill('Handbook')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Handbook', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Add text' }).click()
    await dialog.getByLabel('Name').fill('Shipping')
    await dialog.getByRole('textbox', { name: 'Text' }).fill('# Ways\n\nA parcel leaves within two days.')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('row', { name: /Shipping indexed/ }).waitFor()
    await page.getByRole('button', { name: 'Add files' }).first().click()
    await dialog.getByRole('checkbox', { name: /returns\.md/ }).check()
    await dialog.getByRole('button', { name: 'Add 1 file' }).click()
    await page.getByRole('row', { name: /returns\.md indexed/ }).waitFor()
    // The stream may bring the row before the response closes the dialog.
    await dialog.waitFor({ state: 'detached' })
    await page.getByLabel('Search for').fill('PARCELS, may?')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('searched by words').waitFor()
    assert.deepEqual((await page.locator('mark').allTextContents()).sort(), ['may', 'parcel'])
    assert.match(page.url(), /q=PARCELS/)
    assert.deepEqual(await violationsOf(page), [])
    await page.getByText('Goods <i>may</i> be sent back.').waitFor()
    await page.getByRole('button', { name: 'More about Shipping' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /Shipping/ }).waitFor({ state: 'detached' })
    await closeCleanly(browsing)
  })
  it('shows the passages and the text of a document, from what was found on, and replaces it', async () => {
    const own = await administrator(await server(), 'Of knowing')
    const call = (path: string, body?: object) =>
      server().then((postern) =>
        body === undefined
          ? postern.client().get(path, { token: own.token })
          : postern.client().post(path, body, { token: own.token, headers: { prefer: 'wait=30' } }),
      )
    const base = (await call('/v1/knowledge-bases', { name: 'Handbook' })).body
    const text = '# Ways\n\nA parcel leaves within two days.\n\n# Returns\n\nGoods may be sent back.'
    const added = await call(`/v1/knowledge-bases/${base.id}/documents`, { name: 'Shipping', text })
    assert.equal(added.body.status, 'indexed', added.text)
    const browsing = await open(`/knowledge/${base.id}?q=goods`, own)
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    const passages = page.getByRole('region', { name: 'Passages' })
    await page.getByRole('link', { name: 'Shipping' }).first().click()
    await passages.getByText('Goods may be sent back.').waitFor()
    assert.equal(await passages.getByText('A parcel leaves').count(), 0)
    await passages.getByRole('button', { name: 'From the first' }).click()
    await passages.getByText('A parcel leaves').waitFor()
    await page.getByRole('tab', { name: 'Text' }).click()
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Ways')
    const shown = page.getByRole('region', { name: 'Text of the document' })
    assert.match(String(await shown.textContent()), /A parcel leaves/)
    assert.deepEqual(await violationsOf(page), [])
    await page.getByRole('button', { name: 'Replace' }).click()
    const area = dialog.getByRole('textbox', { name: 'Text' })
    assert.equal(await area.inputValue(), text)
    await area.fill('Goods stay where they are.')
    await dialog.getByLabel('Name').fill('Rules')
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Replace it' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor()
    await page.getByRole('region', { name: 'Text of the document' }).getByText('Goods stay').waitFor()
    await page.getByRole('button', { name: 'Replace' }).click()
    await dialog
      .locator('input[type=file]')
      .setInputFiles([{ name: 'new.md', mimeType: 'text/markdown', buffer: Buffer.from('A new file.') }])
    await page.getByRole('heading', { name: 'new.md', level: 1 }).waitFor()
    await page.getByRole('tab', { name: 'Passages' }).click()
    await passages.getByText('A new file.').waitFor()
    await closeCleanly(browsing)
  })
})
