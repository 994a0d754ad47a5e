import assert from 'node:assert/strict'
import { it } from 'node:test'
import { NETWORK_PATTERN, networksOf, readNetwork } from './networks.ts'

it('a network has one normal form, for a single address, short and long notations, and IPv4 in IPv6', () => {
  for (const [text, network] of [
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['192.0.2.7', '192.0.2.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::/32', '2001:db8::/32'],
    ['::1', '::1/128'],
    ['::/0', '::/0'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:a00:1', '10.0.0.1/32'],
    ['10.128.0.0/9', '10.128.0.0/9'],
  ] as const) {
    assert.equal(readNetwork(text), network, text)
    assert.match(text, new RegExp(NETWORK_PATTERN))
  }
})

it('an invalid network is refused: other notations, prefix lengths that are too long, bits beyond the prefix', () => {
  for (const text of [
    ...['', '/', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/8/8', '::/129', '10/8'],
    ...[
      '10.0.0.1/8',
      '10.64.0.0/9',
      '2001:db8::1/32',
      '0x0a.0.0.0/8',
      '010.0.0.0/8',
      '127.1',
      'fe80::1%eth0',
    ],
    ...['::ffff:0:0/95', '::10.0.0.0/104', '::ffff:10.0.0.1/104', ' 10.0.0.0/8', 'localhost', '10.0.0.0/8.0'],
  ])
    assert.equal(readNetwork(text), undefined, text)
})

it('networks contain the addresses of their family in every notation, and no text that is not an address', () => {
  const networks = networksOf('["10.0.0.0/8","2001:db8::/32","192.0.2.7/32"]')
  for (const text of ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203', '2001:DB8::5', '192.0.2.7'])
    assert.ok(networks.has(text), text)
  for (const text of [
    '11.0.0.1',
    '192.0.2.8',
    '2001:db9::1',
    '::10.1.2.3',
    '::1',
    '',
    'unknown',
    '10.1.2.3%eth0',
    '10.1.2.3:80',
  ])
    assert.ok(!networks.has(text), text)
  assert.ok(!networksOf('["::/0"]').has('10.1.2.3'))
  assert.ok(networksOf('["0.0.0.0/0"]').has('::ffff:10.1.2.3'))
})

it('networks cover narrower networks, and no wider one', () => {
  const networks = networksOf('["10.0.0.0/8","2001:db8::/32"]')
  for (const text of ['10.0.0.0/8', '10.1.0.0/16', '10.1.2.3/32', '2001:db8:1::/48'])
    assert.ok(networks.covers(text), text)
  for (const text of ['0.0.0.0/0', '8.0.0.0/6', '11.0.0.0/8', '::/0', '2001:db8::/31'])
    assert.ok(!networks.covers(text), text)
})
