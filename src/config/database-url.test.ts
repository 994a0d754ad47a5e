import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { databaseUrl, hostsOf, standbyUrl } from './database-url.ts'

const HOW = 'postgres://user:password@host1:5432,host2:5432/database'

function problemsOf(url: string): string {
  let said = ''
  assert.throws(
    () => databaseUrl(url),
    (error: Error) => {
      said = error.message
      return true
    },
  )
  return said
}

describe('an address of PostgreSQL', () => {
  it('with one host stays as it is written', () => {
    for (const url of [
      'postgres://db/x',
      'postgresql://u:p%40ss@db:5433/x?sslmode=require&options=-c%20work_mem%3D64MB',
      'postgres:///x?host=/var/run/postgresql',
      'postgres://[::1]:5433/x',
      'postgres://u:a,b@db/x',
    ]) {
      assert.equal(databaseUrl(url), url)
      assert.deepEqual(hostsOf(url), { urls: [url], target: 'any' })
    }
  })

  it('with several becomes one for each, in their order, with all that they share', () => {
    assert.deepEqual(hostsOf('postgres://u:a,b%40c@h1,h2:5433,[::1]:5434/x?sslmode=require'), {
      urls: [
        'postgres://u:a,b%40c@h1/x?sslmode=require',
        'postgres://u:a,b%40c@h2:5433/x?sslmode=require',
        'postgres://u:a,b%40c@[::1]:5434/x?sslmode=require',
      ],
      target: 'read-write',
    })
  })

  it('names what a host must be; of several it must take writes unless something else is said', () => {
    const target = (more: string) => hostsOf(`postgres://h1,h2/x${more}`).target
    assert.equal(target(''), 'read-write')
    for (const name of ['any', 'read-write', 'primary'])
      assert.equal(target(`?target_session_attrs=${name}`), name)
    assert.deepEqual(hostsOf('postgres://h/x?target_session_attrs=primary&load_balance_hosts=disable&a=b'), {
      urls: ['postgres://h/x?a=b'],
      target: 'primary',
    })
  })

  it('of standbys names one or several, which must be standbys', () => {
    assert.equal(hostsOf('postgres://h1,h2/x', 'standby').target, 'standby')
    assert.equal(hostsOf('postgres://h1/x', 'standby').target, 'any')
    for (const name of ['any', 'standby']) {
      const url = `postgres://h1,h2/x?target_session_attrs=${name}`
      assert.equal(standbyUrl(url), url)
      assert.equal(hostsOf(url, 'standby').target, name)
    }
    assert.throws(() => standbyUrl('postgres://h1,h2/x?target_session_attrs=read-write'), {
      message: 'must have one of any, standby as target_session_attrs: lists are read from a standby',
    })
  })

  it('is refused with every problem at once', () => {
    assert.equal(
      problemsOf(
        'postgres://u:hunter2@h1:5432,,h2:99999,h1/x?target_session_attrs=standby&load_balance_hosts=random&port=1',
      ),
      [
        `must name each host as in ${HOW}, and number 2 is none`,
        `must name each host as in ${HOW}, and number 3 is none`,
        'must name each host once, and number 4 is there twice',
        'must have one of any, read-write, primary as target_session_attrs: Postern writes by every connection, so that no standby will do',
        'must have no load_balance_hosts: hosts are tried in their order',
        `must name its hosts as in ${HOW}, and not in port`,
      ].join('; it '),
    )
  })

  it('is refused where it leads to standbys, names hosts elsewhere, or too many', () => {
    for (const name of ['standby', 'read-only', 'prefer-standby', ''])
      assert.match(problemsOf(`postgres://h1,h2/x?target_session_attrs=${name}`), /no standby will do$/)
    assert.match(problemsOf('postgres:///x?host=h1,h2'), /not in host$/)
    assert.match(problemsOf('postgres://h1,h2/x?target_session_attrs=any&target_session_attrs=any'), /once$/)
    assert.match(
      problemsOf(`postgres://${Array.from({ length: 17 }, (_, n) => `h${n}`)}/x`),
      /16 hosts at most$/,
    )
    assert.match(problemsOf('postgres://h1:0,h2/x'), /number 1 is none$/)
  })

  it('is refused without a part of it, any of which may be of a password', () => {
    for (const url of [
      'mysql://u:hunter2@db/x',
      'postgres://u:hunter2/with@db/x',
      'postgres://u:hunter2?with@h1,h2/x',
      'postgres://u:hun#hunter2@h1,h2/x',
      'hunter2',
    ])
      assert.doesNotMatch(problemsOf(url), /hunter2/)
  })
})
