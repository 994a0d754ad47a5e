import { show } from './steps.js'

const query = new URLSearchParams(location.search)
const state = query.get('state') ?? 'open'
// Shown as it stands in the address if it is one of ours, and never taken as proof of anything.
const id = /^chk_[0-9a-f-]{36}$/.exec(query.get('id') ?? '')?.[0] ?? ''

// The server shows the state of the order. For an open one, the address says whether the person paid or cancelled.
const { step } = document.querySelector('[data-step]:not([hidden])').dataset

show(step === 'open' && ['completed', 'cancelled'].includes(state) ? state : step, { id })
