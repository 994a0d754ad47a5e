import { logo, product } from '../root.ts'
import { to } from '../router.ts'

/** The sign and the name of the product, which lead to the overview. */
export function Brand() {
  const own = logo()
  return (
    <a class="brand" href={to('/')}>
      {own === undefined ? <Sign /> : <img src={own} alt="" height="28" />}
      <span>{product()}</span>
    </a>
  )
}

/** The sign of Postern; a product with a logo of its own shows that instead. */
function Sign() {
  return (
    <svg viewBox="0 0 36 36" width="28" height="28" aria-hidden="true" focusable="false">
      <rect width="36" height="36" rx="9" fill="#1f6251" />
      <path d="M9 31V16.5a9 9 0 0 1 18 0V31z" fill="#f6c96b" />
      <path d="M9 31V16.5a9 9 0 0 1 9-9l3.5 3.2V31z" fill="#fffaf0" />
      <circle cx="18.4" cy="20.6" r="1.4" fill="#1f6251" />
    </svg>
  )
}
