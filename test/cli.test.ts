import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readCommands } from '#src/cli/command.ts'
import { shellWord } from '#src/cli/terminal/shell-word.ts'
import { LIFETIME } from '#src/core/limits.ts'
import { administrator, newEmail, signUp } from './support/people.ts'
import { actingFor } from './support/platform.ts'
import {
  freshStore,
  onBothEngines,
  postern,
  startPostern,
  testOnOneEngineByDay,
  usePostern,
} from './support/postern.ts'
import { BIN, beginProcess, runProcess } from './support/process.ts'
import { startHere } from './support/start-here.ts'
import { within } from './support/waits.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-cli-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('the command line', () => {
  const nowhere = { env: { DATA_DIR: join(folder, 'nowhere') } }

  it('lists every command, and tells about each', async () => {
    const { code, out } = await postern(nowhere, 'help')
    assert.equal(code, 0)
    for (const [name, { usage, options }] of Object.entries(await readCommands())) {
      assert.ok(out.includes(usage), name)
      const one = await postern(nowhere, 'help', name)
      assert.equal(one.code, 0)
      for (const option of Object.keys(options)) assert.match(one.out, new RegExp(`--${option} `))
      assert.deepEqual(await postern(nowhere, name, '--help'), one)
    }
    assert.match((await postern(nowhere)).out, /^Postern \d/)
    for (const name of ['version', 'help']) assert.ok(out.includes(`\n  postern ${name} [`), name)
  })

  it('answers with 2 and the usage to what it does not understand', async () => {
    for (const [args, problem] of [
      [
        ['dance'],
        /^There is no command "dance"\. There are: start, .*, version, help\.\nUsage: postern <command>/,
      ],
      [['help', 'dance'], /^There is no command "dance"/],
      [['mail', '--colour'], /^Unknown option '--colour'\.\nUsage: postern mail /],
      [['mail', 'ada@acme.test'], /^Unexpected argument 'ada@acme\.test'\.\nUsage: postern mail /],
      [['mail', '--limit', '0'], /^--limit must be a whole number from 1 to 1000\.\nUsage: postern mail /],
      [['mail', '--email', 'ada'], /^--email must be an e-mail address\.\nUsage: /],
      [['plan', '--organization', 'Acme', '--plan', 'gold'], /^--plan must be one of free, /],
      [
        ['account', '--email', 'a@acme.test'],
        /^Exactly one of --disable, --enable, --end-sessions, --remove-factors, --change-email and --delete/,
      ],
      [['account', '--email', 'a@acme.test', '--enable', '--delete'], /^Exactly one of /],
      [['invite', '--role', 'king'], /^--organization must .*\n--email must .*\nUsage: postern invite /],
    ] as [string[], RegExp][]) {
      const { code, out, err } = await postern(nowhere, ...args)
      assert.equal(code, 2, args.join(' '))
      assert.equal(out, '')
      assert.match(err, problem)
    }
  })

  it('makes no database where there is none, except to invite', async () => {
    for (const args of [
      ['mail'],
      ['backup', '--to', join(folder, 'never.tar')],
      ['plan', '--organization', 'Acme', '--plan', 'free'],
      ['account', '--email', 'ada@acme.test', '--disable'],
    ]) {
      const { code, err } = await postern(nowhere, ...args)
      assert.equal(code, 1)
      assert.match(err, /^There is no database in .*nowhere\. Start Postern first, or set DATA_DIR\.$/)
    }
    assert.equal((await postern(nowhere, 'doctor')).code, 0)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('answers every command with one line of JSON when asked to', async () => {
    const store = { env: { ...(await freshStore('sqlite')), BASE_URL: 'https://postern.invalid' } }
    const members = async (...args: string[]) => {
      const { code, out, err } = await postern(store, ...args, '--json')
      assert.equal(code, 0, `${args.join(' ')}: ${err}`)
      assert.doesNotMatch(out, /\n/)
      return Object.keys(JSON.parse(out))
    }
    const asked: Record<string, [string[], string[]]> = {
      migrate: [[], ['from', 'to', 'steps']],
      invite: [
        ['--organization', 'Acme', '--email', 'ada@acme.test'],
        [
          'organizationId',
          'invitationId',
          'acceptUrl',
          'token',
          'organizationCreated',
          'nearestOrganization',
        ],
      ],
      mail: [[], []],
      plan: [
        ['--organization', 'Acme'],
        ['organizationId', 'name', 'plan', 'modules', 'flags'],
      ],
      backup: [
        ['--to', join(folder, 'json.tar'), '--without-key'],
        ['file', 'bytes', 'rows', 'blobs', 'missingBlobs', 'hasKey', 'others', 'durationMs'],
      ],
      doctor: [[], ['problems', 'warnings', 'findings']],
      credits: [[], []],
      organizations: [
        ['--rename', 'Acme', '--to', 'Acme Ltd'],
        ['organizationId', 'name'],
      ],
      'platform-key': [
        ['create', '--name', 'Platform', '--scopes', 'all'],
        [
          ...['id', 'name', 'scopes', 'mayCreateOrganizations', 'allowedAddresses', 'hint'],
          ...['createdAt', 'expiresAt', 'rotatedAt', 'lastUsedAt', 'key'],
        ],
      ],
      account: [
        ['--email', 'ada@acme.test', '--delete'],
        ['accountId', 'email', 'status'],
      ],
      'rotate-key': [[], ['fingerprint', 'oldKeyFile']],
    }
    for (const [name, [args, keys]] of Object.entries(asked))
      assert.deepEqual(await members(name, ...args), keys)
    assert.deepEqual(
      Object.keys(await readCommands()).filter((name) => !Object.hasOwn(asked, name)),
      // The first is below, the others have files of their own.
      [
        'start',
        'import-accounts',
        'restore',
        'move',
        'verify',
        'login',
        'logout',
        'tail',
        'listen',
        'clock',
        'trigger',
        'resend',
      ],
    )
    assert.deepEqual(await members('version'), ['version'])
    assert.deepEqual(await members('help'), ['commands'])
    const server = beginProcess(['start', '--json'], { ...store.env, PORT: '0', LOG_LEVEL: 'error' })
    const [said] = await within(
      'the line that says that it is ready',
      once(server.child.stdout ?? server.child, 'data'),
    )
    assert.equal(JSON.parse(String(said)).ready, true)
    server.child.kill('SIGTERM')
    assert.equal(await server.gone, 0)
  })

  it('says how to let the first administrator in until there is one', async () => {
    const store = await freshStore('sqlite')
    const starts = async () => {
      const server = await startHere(store)
      return (await server.end()).out
    }
    assert.match(await starts(), /Invite the first administrator/)
    const running = await startPostern('sqlite', { env0: store })
    await administrator(running)
    await running.stop()
    assert.doesNotMatch(await starts(), /Invite the first administrator/)
  })

  it('works as a real process, whatever Node starts it', async () => {
    const help = await runProcess(['help'], {}, BIN)
    assert.equal(help.code, 0)
    assert.match(help.out, /^Postern /)
    assert.equal((await runProcess(['dance'], {}, BIN)).code, 2)
  })
})

onBothEngines('postern invite', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  it('invites into an organization of that name, made with the plan that was asked for', async () => {
    const running = await server()
    const name = newEmail('Org')
    const invite = (...more: string[]) =>
      postern(running, 'invite', '--organization', name, '--json', ...more)
    const first = await invite('--email', newEmail(), '--role', 'administrator', '--plan', 'team')
    const second = await invite('--email', newEmail())
    const [{ organizationId, invitationId, acceptUrl, token }, other] = [first, second].map(({ out }) =>
      JSON.parse(out),
    )
    assert.match(invitationId, /^inv_/)
    assert.equal(
      acceptUrl,
      `${running.env.BASE_URL ?? `http://localhost:${running.env.PORT}`}/accept-invitation?token=${token}`,
    )
    assert.equal(other.organizationId, organizationId)
    assert.deepEqual(
      [first, second].map(({ out }) => JSON.parse(out).organizationCreated),
      [true, false],
    )
    const refused = await invite('--email', newEmail(), '--plan', 'free')
    assert.equal(refused.code, 1)
    assert.equal(
      refused.err,
      `${name} has the plan team. Change it with: postern plan --organization ${shellWord(name)} --plan free`,
    )
  })

  it('gives a new organization the id that the platform calls it by, and does not change that of another', async () => {
    const running = await server()
    const [name, externalId] = [newEmail('Org'), `cus-${newEmail()}`]
    const invite = (organization: string, ...more: string[]) =>
      postern(running, 'invite', '--organization', organization, '--email', newEmail(), ...more)
    const identified = ['--external-id', externalId]
    assert.equal((await invite(name, ...identified)).code, 0)
    assert.equal((await invite(name, ...identified)).code, 0)
    const found = JSON.parse((await postern(running, 'organizations', ...identified, '--json')).out)
    assert.deepEqual([found.length, found[0].name, found[0].externalId], [1, name, externalId])
    const other = newEmail('Other')
    const taken = await invite(other, ...identified)
    assert.deepEqual(
      [taken.code, taken.err],
      [1, `There is an organization with the external id ${externalId} already.`],
    )
    await invite(other)
    assert.equal(
      (await invite(other, '--external-id', 'mine')).err,
      `${other} has no external id. Change it with: postern organizations --identify ${shellWord(other)} --external-id mine`,
    )
    assert.equal((await invite(other, '--external-id', 'a b')).code, 2)
  })

  test('says that it made an organization, and which one was perhaps meant', async () => {
    const running = await server()
    const name = `Acme ${newEmail()}`
    const invite = (organization: string, ...more: string[]) =>
      postern(running, 'invite', '--organization', organization, '--email', newEmail(), ...more)
    const first = await invite(name)
    assert.match(
      first.out,
      new RegExp(`^Made the organization "${name}": there was none of that name\\.$`, 'm'),
    )
    assert.equal(first.err, '')
    assert.doesNotMatch((await invite(name)).out, /^Made/m)
    const slipped = name.replace('Acme', 'Amce')
    const second = await invite(slipped)
    assert.match(second.out, new RegExp(`^Made the organization "${slipped}"`, 'm'))
    assert.match(second.err, new RegExp(`^There is "${name}" already\\. If that was meant: `))
    const third = JSON.parse((await invite(name.replace('Acme', 'Acmee'), '--json')).out)
    assert.deepEqual([third.organizationCreated, third.nearestOrganization], [true, name])
    const { err } = await postern(running, 'plan', '--organization', name.replace('Acme', 'Acm'))
    assert.match(err, new RegExp(`^There is no organization "Acm .*"\\. Did you mean "${name}"\\?$`))
  })

  test('prints the address of the server that was started on this database, unless the environment names another', async () => {
    const store = await freshStore(engine)
    const served = await startHere(store)
    const { PORT: _port, ...same } = store
    const invite = async (env: Record<string, string>) => {
      const args = ['invite', '--organization', 'Acme', '--email', 'ada@acme.test', '--json']
      const { code, out, err } = await postern({ env }, ...args)
      assert.equal(code, 0, err)
      return new URL(JSON.parse(out).acceptUrl).origin
    }
    assert.equal(await invite(same), served.url.replace('127.0.0.1', 'localhost'))
    assert.equal(await invite({ ...same, PORT: '0' }), served.url.replace('127.0.0.1', 'localhost'))
    assert.equal(await invite({ ...same, BASE_URL: 'http://localhost:4321' }), 'http://localhost:4321')
    assert.equal(await invite({ ...same, PORT: '4322' }), 'http://localhost:4322')
    await served.end()
  })

  test('asked again, gives a new link and kills the old one', async () => {
    const running = await server()
    const [organization, email] = [newEmail('Org'), newEmail()]
    const args = ['invite', '--organization', organization, '--email', email]
    const [first, second] = [await postern(running, ...args), await postern(running, ...args)]
    const tokens = [first, second].map(({ out }) => /token=(\S+)/.exec(out)?.[1])
    assert.match(second.out, /The invitation before this one is revoked; its link is dead\./)
    const statuses = []
    for (const token of tokens)
      statuses.push((await running.client().get(`/v1/invitations/preview?token=${token}`)).status)
    assert.deepEqual(statuses, [404, 200])
  })

  test('says of a member that there is nothing to do', async () => {
    const running = await server()
    const organization = newEmail('Org')
    const { email } = await administrator(running, organization)
    const repeated = await postern(running, 'invite', '--organization', organization, '--email', email)
    assert.equal(repeated.code, 1)
    assert.equal(repeated.err, `${email} is a member of ${organization} already.`)
  })
})

onBothEngines('postern platform-key', (engine) => {
  const server = usePostern(engine)

  it('makes a key that acts for organizations, lists, changes, rotates and revokes it', async () => {
    const running = await server()
    const admin = await administrator(running)
    const run = (...args: string[]) => postern(running, 'platform-key', ...args)
    assert.match((await run('list')).out, /^There is no key of the installation\./)
    const scopes = 'webhooks:read,events:write'
    const made = await run('create', '--name', 'Acme', '--scopes', scopes, '--expires-in-days', '30')
    const key = /ppk_\w+/.exec(made.out)?.[0] ?? ''
    const id = /pky_[\w-]+/.exec(made.out)?.[0] ?? ''
    const ask = async (secret: string) =>
      (await actingFor(running, { key: secret }, admin.organizationId).get('/v1/webhooks')).status
    assert.equal(await ask(key), 200, made.err)
    assert.equal((await actingFor(running, { key }, admin.organizationId).get('/v1/audit-log')).status, 403)
    const [listed, ...others] = JSON.parse((await run('list', '--json')).out)
    assert.deepEqual(
      [listed.id, listed.name, listed.scopes, listed.mayCreateOrganizations, others.length],
      [id, 'Acme', ['events:write', 'webhooks:read'], false, 0],
    )
    assert.match((await run('list')).out, new RegExp(`^${id}  …\\w{4}  Acme: .*expires `))
    const rotated = JSON.parse((await run('rotate', '--id', id, '--overlap-hours', '1', '--json')).out)
    // The command works by the clock of the machine, and the server by that of the test.
    assert.equal(await ask(rotated.key), 200)
    for (let kept = 1; kept < 5; kept += 1) assert.equal((await run('rotate', '--id', id)).code, 0)
    const full = await run('rotate', '--id', id)
    assert.deepEqual([full.code, /has 5 earlier secrets that still work/.test(full.err)], [1, true], full.err)
    const changed = await run(
      ...['change', '--id', id, '--name', 'Acme Ltd', '--expires-in-days', 'never'],
      ...['--allowed-addresses', '127.0.0.0/8'],
    )
    assert.match(changed.out, /"Acme Ltd"\) does not expire and may come from 127\.0\.0\.0\/8\./, changed.err)
    assert.match((await run('change', '--id', id, '--allowed-addresses', 'any')).out, /from anywhere\./)
    assert.match((await run('revoke', '--id', id)).out, /"Acme Ltd"\) is revoked\./)
    running.clock.advance(LIFETIME.credentialCache)
    for (const secret of [key, rotated.key]) assert.equal(await ask(secret), 401)
    const gone = await run('revoke', '--id', id)
    assert.deepEqual([gone.code, gone.err.split('. ', 1)], [1, [`There is no key ${id}`]])
    for (const args of [
      [],
      ['dance'],
      ['list', 'list'],
      ['create', '--name', 'x'],
      ['create', '--name', 'x', '--scopes', 'events:dance'],
      ['create', '--name', '', '--scopes', 'all'],
      ['create', '--name', 'x', '--scopes', 'all', '--expires-in-days', '0'],
      ['create', '--name', 'x', '--scopes', 'all', '--id', id],
      ['create', '--name', 'x', '--scopes', 'all', '--allowed-addresses', 'here'],
      ['rotate', '--id', 'key'],
      ['change', '--id', id],
      ['change', '--id', id, '--name', ' '],
      ['rotate', '--id', id, '--overlap-hours', '169'],
      ['list', '--with-made'],
    ])
      assert.equal((await run(...args)).code, 2, args.join(' '))
  })
})

onBothEngines('postern mail', (engine) => {
  const test = testOnOneEngineByDay(engine)
  it('shows kept mails newest first, with their text and link', async () => {
    const running = await startPostern(engine, { env: { SMTP_URL: '' } })
    const empty = await postern(running, 'mail')
    assert.match(empty.out, /^No mails yet\.\nNo SMTP_URL is set: nothing is sent/)
    const admin = await administrator(running)
    const emails = [newEmail('first'), newEmail('second')]
    for (const email of emails) {
      const invited = await running.client().post('/v1/invitations', { email }, { token: admin.token })
      assert.equal(invited.body.delivery.status, 'not_configured')
    }
    const { out } = await postern(running, 'mail', '--json')
    const mails = JSON.parse(out)
    assert.deepEqual(
      mails.map(({ to }: { to: string }) => to),
      [...emails].reverse(),
    )
    assert.equal(mails[0].status, 'not_configured')
    assert.ok(mails[0].text.includes(mails[0].link))
    const token = new URL(mails[0].link).searchParams.get('token') ?? ''
    const person = await signUp(running, {
      email: emails[1] ?? '',
      invitationToken: token,
      organizationId: admin.organizationId,
    })
    assert.equal(person.organizationId, admin.organizationId)

    const one = await postern(running, 'mail', '--email', emails[0] ?? '')
    assert.ok(one.out.includes(`${emails[0]}  kept, not sent`))
    assert.match(one.out, /Subject: You are invited/)
    assert.match(one.out, / {4}http:\/\/\S+token=/)
    assert.doesNotMatch(one.out, new RegExp(emails[1] ?? ''))
    assert.equal(JSON.parse((await postern(running, 'mail', '--json', '--limit', '1')).out).length, 1)
    assert.match((await postern(running, 'mail', '--email', 'nobody@acme.test')).out, /^No mails to nobody@/)
    await running.stop()
  })

  test('shows what the mail server said, and no text of what was sent', async () => {
    const running = await startPostern(engine)
    const admin = await administrator(running)
    const [refused, taken] = [newEmail('refused'), newEmail('taken')]
    running.mailbox.behaviour.onRecipient = (address) =>
      address === refused ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : undefined
    for (const email of [refused, taken])
      await running.client().post('/v1/invitations', { email }, { token: admin.token })
    await running.mailbox.next(taken)
    await running.stop()
    const [failed] = JSON.parse((await postern(running, 'mail', '--json', '--email', refused)).out)
    assert.equal(failed.status, 'failed')
    assert.match(failed.lastError, /no such mailbox/)
    assert.match(failed.link, /token=/)
    const [sent] = JSON.parse((await postern(running, 'mail', '--json', '--email', taken)).out)
    assert.deepEqual([sent.status, sent.text, sent.link], ['sent', null, null])
    const said = await postern(running, 'mail')
    assert.match(
      said.out,
      /given up, 1 try\n {2}Subject: .*\n {2}The mail server said: 550 no such mailbox\n {2}Last error: .*no such mailbox/,
    )
  })
})

onBothEngines('postern plan', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine)

  test('changes the limit of a running server, and is in the audit log', async () => {
    const running = await server()
    const name = newEmail('Org')
    const admin = await administrator(running, name)
    const changed = await postern(running, 'plan', '--organization', name, '--plan', 'free')
    assert.match(changed.out, /has the plan free now, it had unlimited/)
    running.clock.advance(6_000)
    const answer = await running.client().get('/v1/audit-log?action=plan.changed', { token: admin.token })
    assert.match(answer.headers.get('ratelimit-policy') ?? '', /q=60\b/)
    assert.deepEqual(answer.body.data[0].details, { from: 'unlimited', to: 'free' })
    assert.match((await postern(running, 'plan', '--organization', name, '--plan', 'free')).out, /already/)
    const none = await postern(running, 'plan', '--organization', 'Nobody', '--plan', 'free')
    assert.deepEqual([none.code, none.err], [1, 'There is no organization "Nobody".'])
  })
})
