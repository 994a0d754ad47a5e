import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { hash } from '@node-rs/argon2'
import { HOUR } from '#src/core/clock.ts'
import { signIn } from './support/attacks.ts'
import { nightly } from './support/nightly.ts'
import { administrator, newEmail, PASSWORD, type Person, tokenOf } from './support/people.ts'
import {
  postern as command,
  ENGINES,
  OPERATOR_TOKEN,
  onBothEngines,
  type Postern,
  testOnOneEngineByDay,
  usePostern,
} from './support/postern.ts'
import { callsOf } from './support/webhook-calls.ts'

/** Hashes that other programs made: of `PASSWORD`, by libxcrypt and by hashlib of Python. */
const BCRYPT = '$2b$05$abcdefghijklmnopqrstuuYVlArImcY9t8iZB05TaOK0bU6e/ht.G'
const SCRYPT = '$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$Vy2jaf1hJvhlYBN4Eie81xrAj5UkgQsu6eKIkLW3kQM'
/** Of a password of 96 bytes, of which bcrypt compares 72. */
const LONG = 'a long password of the kind that a manager makes '.repeat(2)
const BCRYPT_OF_LONG = '$2a$05$abcdefghijklmnopqrstuuOs6Q40EuvjlnTM2vjLEI81eXZ6LOLo2'

/** Passwords that are not the one; no store takes part in telling, so the second engine is given one of them by day. */
const WRONG = [`${PASSWORD}x`, '', `${PASSWORD}\0`, `${PASSWORD}\0x`]

const folder = mkdtempSync(join(tmpdir(), 'import-'))
after(() => rmSync(folder, { recursive: true }))
let files = 0

/** Writes a file of lines, each as it is or as JSON. */
function fileOf(lines: (object | string)[]): string {
  files += 1
  const path = join(folder, `${files}.jsonl`)
  writeFileSync(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  return path
}

async function importFile(postern: Postern, lines: (object | string)[], ...more: string[]) {
  const done = await command(postern, 'import-accounts', '--file', fileOf(lines), '--json', ...more)
  return { code: done.code, err: done.err, ...JSON.parse(done.out) }
}

onBothEngines('postern import-accounts', (engine) => {
  const test = testOnOneEngineByDay(engine)
  const server = usePostern(engine, { hashes: 'production' })
  const intoOf = ({ organizationId }: Person, role = 'member') => [{ organization: organizationId, role }]

  it('lets people in with the passwords that they had, and keeps their hashes in its own form from then on', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const hashes: Record<string, string> = {
      bcrypt: BCRYPT,
      'bcrypt of PHP': BCRYPT.replace('$2b$', '$2y$'),
      scrypt: SCRYPT,
      argon2id: await hash(PASSWORD, { algorithm: 2, memoryCost: 8_192, timeCost: 3, parallelism: 2 }),
      argon2i: await hash(PASSWORD, { algorithm: 1, memoryCost: 4_096, timeCost: 3, parallelism: 1 }),
    }
    const lines = Object.values(hashes).map((passwordHash) => ({
      ...{
        email: newEmail('imported'),
        firstName: 'Grace',
        lastName: 'Hopper',
        emailVerified: true,
        passwordHash,
      },
      organizations: intoOf(ada),
    }))
    const done = await importFile(postern, lines)
    assert.deepEqual([done.code, done.imported, done.refused], [0, lines.length, 0], done.err)
    const stored = async () =>
      postern.app.database.db
        .selectFrom('account')
        .select('password_hash')
        .where(
          'email',
          'in',
          lines.map(({ email }) => email),
        )
        .execute()
    for (const { email } of lines) {
      for (const wrong of nightly(WRONG, engine === ENGINES[0] ? WRONG : WRONG.slice(0, 1)))
        assert.notEqual((await signIn(postern.client(), email, wrong)).status, 200, `${email} ${wrong}`)
      postern.clock.advance(HOUR)
      const client = postern.client()
      const { status, text, body } = await signIn(client, email, PASSWORD)
      assert.equal(status, 200, text)
      assert.deepEqual([body.user.firstName, body.user.emailVerified], ['Grace', true])
      assert.equal(body.user.organizations[0].id, ada.organizationId)
    }
    for (const { password_hash } of await stored())
      assert.match(password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    for (const { email } of lines) assert.equal((await signIn(postern.client(), email, PASSWORD)).status, 200)
    const shown = await callsOf(postern, OPERATOR_TOKEN).get(
      `/v1/operator/audit-log?action=account.imported&limit=100`,
    )
    const own = shown.body.data.filter(
      (entry: { organizationId: string }) => entry.organizationId === ada.organizationId,
    )
    assert.deepEqual(
      own.map(({ details, userAgent, actorId }: Record<string, unknown>) => [details, userAgent, actorId]),
      ['argon2i', 'argon2id', 'scrypt', 'bcrypt', 'bcrypt'].map((password) => [
        { role: 'member', password, emailVerified: true },
        'command line',
        null,
      ]),
    )
    for (const text of [JSON.stringify(own), done.err, postern.log()])
      for (const one of Object.values(hashes)) assert.ok(!text.includes(one.slice(-20)))
  })

  test('compares what bcrypt compares of a long password, and all of it once the person has signed in', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const email = newEmail('long')
    const line = { email, emailVerified: true, passwordHash: BCRYPT_OF_LONG, organizations: intoOf(ada) }
    assert.equal((await importFile(postern, [line])).imported, 1)
    assert.equal((await signIn(postern.client(), email, LONG.slice(0, 71))).status, 401)
    assert.equal((await signIn(postern.client(), email, LONG)).status, 200)
    postern.clock.advance(HOUR)
    assert.equal((await signIn(postern.client(), email, `${LONG.slice(0, 72)} and another end`)).status, 401)
    postern.clock.advance(HOUR)
    assert.equal((await signIn(postern.client(), email, LONG)).status, 200)
  })

  it('changes nothing when it is run again, and never an account that exists', async () => {
    const postern = await server()
    const [ada, bob] = [await administrator(postern), await administrator(postern)]
    const into = [...intoOf(ada, 'administrator'), ...intoOf(bob)]
    const email = newEmail('twice')
    const invited = newEmail('invited')
    await postern.client().post('/v1/invitations', { email: invited }, { token: ada.token })
    const lines = [
      { email, emailVerified: true, passwordHash: BCRYPT, organizations: into },
      { email: email.toUpperCase(), firstName: 'Other', organizations: intoOf(ada) },
      { email: ada.email, passwordHash: BCRYPT, organizations: intoOf(bob, 'administrator') },
      { email: invited, passwordHash: BCRYPT, organizations: intoOf(ada) },
    ]
    const refusals = [3, 4].map((line) => ({ line, field: 'email', reason: 'account_exists' }))
    const first = await importFile(postern, lines)
    assert.deepEqual([first.imported, first.unchanged, first.refusals], [1, 1, refusals], first.err)
    const look = async () => {
      const { db } = postern.app.database
      return [
        await db.selectFrom('account').selectAll().orderBy('id').execute(),
        await db
          .selectFrom('membership')
          .selectAll()
          .orderBy('account_id')
          .orderBy('organization_id')
          .execute(),
        await db.selectFrom('audit').select('id').orderBy('id').execute(),
      ]
    }
    const before = await look()
    const again = await importFile(postern, lines)
    assert.deepEqual([again.code, again.imported, again.unchanged, again.refusals], [1, 0, 2, refusals])
    const dry = await importFile(
      postern,
      [...lines, { email: newEmail('dry'), organizations: intoOf(ada) }],
      '--dry-run',
    )
    assert.deepEqual([dry.imported, dry.unchanged, dry.refused], [1, 2, 2])
    assert.deepEqual(await look(), before)
    // Both at once make each account once.
    const more = Array.from({ length: 30 }, () => ({ email: newEmail('racing'), organizations: intoOf(ada) }))
    const both = await Promise.all([importFile(postern, more), importFile(postern, more.toReversed())])
    assert.equal(both[0].imported + both[1].imported, more.length)
    assert.equal(both[0].unchanged + both[1].unchanged, more.length)
    const client = postern.client()
    assert.equal((await signIn(client, email, PASSWORD)).status, 200)
    assert.ok(await tokenOf(client, bob.organizationId))
  })

  test('names each line that it refuses, with the rule and without what the line holds, and goes on', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const good = () => ({ email: newEmail('good'), organizations: intoOf(ada) })
    const hashed = (passwordHash: unknown) => ({ ...good(), passwordHash })
    const [key = ''] = BCRYPT.match(/.{53}$/) ?? []
    const [salt, made] = SCRYPT.split('$').slice(-2)
    const costly = [
      `$2b$14$${key}`,
      `$2b$31$${key}`,
      `$2b$03$${key}`,
      `$scrypt$ln=18,r=8,p=1$${salt}$${made}`,
      `$scrypt$ln=63,r=999,p=999$${salt}$${made}`,
      `$scrypt$ln=14,r=8,p=17$${salt}$${made}`,
      `$argon2id$v=19$m=4194304,t=1,p=1$${salt}$${made}`,
      `$argon2id$v=19$m=65536,t=100,p=1$${salt}$${made}`,
      `$argon2id$v=19$m=8,t=1,p=16$${salt}$${made}`,
      `$argon2i$v=19$m=19456,t=0,p=1$${salt}$${made}`,
    ]
    const unknown = [
      ...['plain text', '', '5f4dcc3b5aa765d61d8327deb882cf99', `$2x$05$${key}`, `$2b$05$${key}x`, 7],
      ...[`$argon2d$v=19$m=19456,t=2,p=1$${salt}$${made}`, `$argon2id$v=16$m=19456,t=2,p=1$${salt}$${made}`],
      ...['$1$abc$def', `$scrypt$ln=14,r=8,p=1$${salt}$AA`, `${SCRYPT.slice(0, -1)}N`, 'x'.repeat(60_000)],
    ]
    const cases: [object | string, string, string][] = [
      ['{', 'line', 'not_json'],
      ['[]', 'line', 'not_an_object'],
      ['null', 'line', 'not_an_object'],
      [{ ...good(), admin: true }, 'line', 'unknown_member'],
      [{ ...good(), email: 'nobody' }, 'email', 'not_an_address'],
      [{ ...good(), email: 7 }, 'email', 'not_an_address'],
      [{ ...good(), firstName: '\u202e' }, 'firstName', 'not_a_name'],
      [{ ...good(), lastName: 'x'.repeat(101) }, 'lastName', 'not_a_name'],
      [{ ...good(), emailVerified: 'yes' }, 'emailVerified', 'not_a_boolean'],
      [{ ...good(), termsAcceptedAt: 'yesterday' }, 'termsAcceptedAt', 'not_a_moment'],
      [{ ...good(), organizations: [] }, 'organizations', 'not_a_list_of_1_to_100'],
      [{ email: newEmail('nowhere') }, 'organizations', 'not_a_list_of_1_to_100'],
      [
        { ...good(), organizations: [{ organization: 'Acme' }] },
        'organizations.0.organization',
        'not_an_organization',
      ],
      [
        { ...good(), organizations: [...intoOf(ada), { organization: 'ext:nobody-has-it' }] },
        ...(['organizations.1.organization', 'no_such_organization'] as const),
      ],
      [{ ...good(), organizations: intoOf(ada, 'owner') }, 'organizations.0.role', 'not_a_role'],
      [`{"email":"${'x'.repeat(70_000)}"}`, 'line', 'too_long'],
      ...costly.map((one): [object, string, string] => [hashed(one), 'passwordHash', 'too_costly']),
      ...unknown.map((one): [object, string, string] => [hashed(one), 'passwordHash', 'unknown_format']),
    ]
    const lines = cases.flatMap(([line]) => [line, good()])
    const done = await importFile(postern, ['', ...lines])
    assert.deepEqual(
      done.refusals.toSorted((a: { line: number }, b: { line: number }) => a.line - b.line),
      cases.map(([, field, reason], index) => ({ line: 2 * index + 2, field, reason })),
    )
    assert.deepEqual([done.code, done.imported], [1, cases.length])
    assert.doesNotMatch(done.err, /\$2b|\$scrypt|\$argon2|xxxx|@acme/)
    const kinds = [4, 5, 6, 7, 8, 9].map((cost) => hashed(`$2b$0${cost}$${key}`))
    const many = await importFile(postern, kinds)
    assert.ok(many.refused >= 2, many.err)
    assert.ok(many.refusals.every(({ reason }: { reason: string }) => reason === 'too_many_kinds'))
  })

  test('reads a long file in steps, says how far it is, and lets a server beside it work', async () => {
    const postern = await server()
    const ada = await administrator(postern)
    const { db } = postern.app.database
    const path = `/v1/operator/organizations/${ada.organizationId}`
    const named = await callsOf(postern, OPERATOR_TOKEN).patch(path, { externalId: `cus_${engine}` })
    assert.equal(named.status, 200, named.text)
    const organizations = [{ organization: `ext:cus_${engine}` }]
    const lines = Array.from({ length: 2_100 }, () => ({ email: newEmail('long-file'), organizations }))
    const importing = importFile(postern, lines)
    assert.equal((await signIn(postern.client(), ada.email, PASSWORD)).status, 200)
    const done = await importing
    assert.deepEqual([done.lines, done.imported, done.code], [2_100, 2_100, 0], done.err)
    assert.match(done.err, /^1,000 lines read, 1,000 imported\.\n2,000 lines read, 2,000 imported\.$/m)
    const members = await db
      .selectFrom('membership')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', ada.organizationId as never)
      .executeTakeFirstOrThrow()
    assert.equal(Number(members.count), 2_101)
  })

  test('says what is wrong with the command and the file', async () => {
    const postern = await server()
    assert.equal((await command(postern, 'import-accounts')).code, 2)
    const missing = await command(postern, 'import-accounts', '--file', join(folder, 'nothing.jsonl'))
    assert.equal(missing.code, 1)
    assert.match(missing.err, /nothing\.jsonl/)
  })
})
