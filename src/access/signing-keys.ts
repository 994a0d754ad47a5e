import { randomBytes } from 'node:crypto'
import type { CryptoKey, JWK } from 'jose'
import { type Clock, type Millis, plausible } from '../core/clock.ts'
import { repeatable } from '../core/context.ts'
import { LIFETIME } from '../core/limits.ts'
import type { Vault } from '../core/secret.ts'
import type { Database, Tx } from '../db/database.ts'
import { lockTable } from '../db/locking.ts'
import { sealContext } from '../db/sealed.ts'
import type { Tables } from '../db/tables/tables.ts'
import { loadJose } from './jose.ts'

const ALGORITHM = 'ES256'

/** A key that signs now. */
export interface Signer {
  kid: string
  key: CryptoKey
}

/** The keys of the JWTs, in memory; the database is asked once a minute at most, never by a request. */
export interface SigningKeys {
  /** The key that signs at `now`. */
  signer(now: Millis): Promise<Signer>
  /** The public key of a token's `kid`, if it is one of ours that is still published. */
  verifier(kid: string | undefined, now: Millis): Promise<CryptoKey | undefined>
  /** What `/.well-known/jwks.json` shows: current, next and recently retired keys, public members only. */
  published(now: Millis): Promise<JWK[]>
}

interface Loaded {
  row: Tables['signing_key']
  jwk: JWK
  publicKey: CryptoKey
  privateKey: CryptoKey
}

/** How long the keys in memory count as complete. */
const FRESH: Millis = 60_000
/** A token with an unknown `kid` causes a new read, at most this often. */
const RELOAD_EVERY: Millis = 1_000

/**
 * Keys sign for 30 days, one after another. The next is published a day before it signs, the last stays
 * published for a day and the lifetime of its tokens, so that no verifier is surprised (decisions: access, JWT).
 */
export function createSigningKeys({
  database,
  vault,
  clock,
}: {
  database: Database
  vault: Vault
  clock: Clock
}): SigningKeys {
  let loaded: Loaded[] = []
  let loadedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined

  async function current(now: Millis): Promise<Loaded[]> {
    const isFresh = now - loadedAt < FRESH && now >= loadedAt
    if (!isFresh || signingAt(loaded, now) === undefined) await reload(now)
    return loaded
  }

  function reload(now: Millis): Promise<void> {
    loading ??= load(now).finally(() => {
      loading = undefined
    })
    return loading
  }

  async function load(now: Millis): Promise<void> {
    let rows = await database.db.selectFrom('signing_key').selectAll().where('removed_at', '>', now).execute()
    if (needsKey(rows, now)) {
      const prepared = await generate(vault)
      const addNeeded = async (tx: Tx) => {
        await lockTable(tx, 'signing_key')
        const present = await tx.selectFrom('signing_key').selectAll().where('removed_at', '>', now).execute()
        if (!needsKey(present, now)) return
        await tx
          .insertInto('signing_key')
          .values(schedule(prepared, present, now))
          .execute()
        await tx.deleteFrom('signing_key').where('removed_at', '<=', now).execute()
      }
      await repeatable(() => database.tx(addNeeded))
      rows = await database.db.selectFrom('signing_key').selectAll().where('removed_at', '>', now).execute()
    }
    const known = new Map(loaded.map((key) => [key.row.kid, key]))
    loaded = await Promise.all(rows.map(async (row) => known.get(row.kid) ?? (await open(row, vault))))
    loadedAt = clock.now()
  }

  return {
    async signer(now) {
      const chosen = signingAt(await current(now), now)
      if (chosen === undefined) throw new Error('no signing key is active')
      return { kid: chosen.row.kid, key: chosen.privateKey }
    },
    async verifier(kid, now) {
      if (kid === undefined) return undefined
      const find = () => loaded.find(({ row }) => row.kid === kid && isPublished(row, now))?.publicKey
      await current(now)
      // Another process may have made one since these were read.
      if (find() === undefined && now - loadedAt >= RELOAD_EVERY) await reload(now)
      return find()
    },
    published: async (now) =>
      (await current(now)).filter(({ row }) => isPublished(row, now)).map(({ jwk }) => jwk),
  }
}

/** A key that was made by a clock that was ahead: it begins to sign later than any next key. */
function isOfTheFuture({ retired_at }: Tables['signing_key'], now: Millis): boolean {
  return plausible(retired_at, now, LIFETIME.signingKeyOverlap + LIFETIME.signingKey) !== retired_at
}

function isPublished(row: Tables['signing_key'], now: Millis): boolean {
  return row.removed_at > now && !isOfTheFuture(row, now)
}

/**
 * The key that signs. If the time of no key has come, because a clock that was ahead made the next one, it is the key with the earliest
 * time, so that there is always one.
 */
function signingAt(keys: Loaded[], now: Millis): Loaded | undefined {
  const able = keys
    .filter(({ row }) => now < row.retired_at && !isOfTheFuture(row, now))
    .sort((a, b) => a.row.active_at - b.row.active_at || (a.row.kid < b.row.kid ? -1 : 1))
  return able.find(({ row }) => row.active_at <= now) ?? able[0]
}

/** Whether nothing will sign a day from now, so that the next key must be published. */
function needsKey(rows: Tables['signing_key'][], now: Millis): boolean {
  return !rows.some((row) => row.retired_at > now + LIFETIME.signingKeyOverlap && !isOfTheFuture(row, now))
}

type Prepared = Pick<Tables['signing_key'], 'kid' | 'public_jwk' | 'private_jwk'>

async function generate(vault: Vault): Promise<Prepared> {
  const { exportJWK, generateKeyPair } = await loadJose()
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const kid = randomBytes(12).toString('base64url')
  const { kty, crv, x, y } = await exportJWK(publicKey)
  return {
    kid,
    public_jwk: JSON.stringify({ kty, crv, x, y, kid, alg: ALGORITHM, use: 'sig' }),
    private_jwk: vault.seal(JSON.stringify(await exportJWK(privateKey)), sealContext('signing_key', kid)),
  }
}

/**
 * The first key is active from before its creation, so that a clock that is set back, or that of another process, finds it
 * active, too. A later key signs when the one before it retires.
 */
function schedule(prepared: Prepared, rows: Tables['signing_key'][], now: Millis): Tables['signing_key'] {
  const present = rows.filter((row) => !isOfTheFuture(row, now))
  const begins = Math.max(now, ...present.map(({ retired_at }) => retired_at))
  const retiredAt = begins + LIFETIME.signingKey
  return {
    ...prepared,
    created_at: now,
    active_at: present.length === 0 ? begins - LIFETIME.signingKeyOverlap : begins,
    retired_at: retiredAt,
    removed_at: retiredAt + LIFETIME.jwt + LIFETIME.signingKeyOverlap,
  }
}

async function open(row: Tables['signing_key'], vault: Vault): Promise<Loaded> {
  const { importJWK } = await loadJose()
  const jwk = JSON.parse(row.public_jwk) as JWK
  const secret = JSON.parse(vault.open(row.private_jwk, sealContext('signing_key', row.kid))) as JWK
  return {
    row,
    jwk,
    publicKey: (await importJWK(jwk, ALGORITHM)) as CryptoKey,
    privateKey: (await importJWK(secret, ALGORITHM)) as CryptoKey,
  }
}
