"""A small PHP and JavaScript application in our own words, for questions about code."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "config/php/session.php": """\
<?php
/**
 * Sessions live in memcached, so that any web container can serve any visitor.
 */
function configureSessionHandler(array $servers): void
{
    ini_set('session.save_handler', 'memcached');
    ini_set('session.save_path', implode(',', $servers));
    ini_set('session.gc_maxlifetime', '3600');
    session_name('shop');
    session_start();
}
""",
    "Dockerfile": """\
FROM php:8.3-apache
# The memcached extension carries the session handler.
RUN pecl install memcached && docker-php-ext-enable memcached
COPY config/php/ /usr/local/etc/php/conf.d/
ENV SESSION_SERVERS=cache:11211
""",
    "src/google/sheets_client.php": """\
<?php
namespace Shop\\Google;

/** Makes the client that every export of orders to Google Sheets goes through. */
class SheetsClient
{
    private \\Google\\Client $client;

    public function __construct(string $credentials)
    {
        $this->client = new \\Google\\Client();
        $this->client->setAuthConfig($credentials);
        $this->client->addScope('https://www.googleapis.com/auth/spreadsheets');
        $this->client->setAccessType('offline');
    }

    /** Appends rows to one sheet and returns how many were written. */
    public function appendRows(string $sheet, array $rows): int
    {
        $service = new \\Google\\Service\\Sheets($this->client);
        $body = new \\Google\\Service\\Sheets\\ValueRange(['values' => $rows]);
        $service->spreadsheets_values->append($sheet, 'A1', $body, ['valueInputOption' => 'RAW']);
        return count($rows);
    }
}
""",
    "src/helpers/vars.php": """\
<?php
/**
 * Cleans what a request brought before anything else sees it.
 */
function doVars(array &$get, array &$post, array &$files): void
{
    foreach ([&$get, &$post] as &$values) {
        foreach ($values as $name => $value) {
            $values[$name] = htmlspecialchars(trim((string) $value), ENT_QUOTES);
        }
    }
    foreach ($files as $field => $file) {
        $files[$field]['name'] = preg_replace('/[^A-Za-z0-9._-]/', '_', basename($file['name']));
        if ($file['size'] > 5_000_000 || !is_uploaded_file($file['tmp_name'])) {
            unset($files[$field]);
        }
    }
}
""",
    "src/helpers/curl.php": """\
<?php
/**
 * cURL helpers. Each writes one line to the request log: method, address, status and milliseconds.
 */
function doCurlGet(string $url, array $headers = []): string
{
    $handle = curl_init($url);
    curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
    curl_setopt($handle, CURLOPT_HTTPHEADER, $headers);
    return runCurl($handle, 'GET', $url);
}

/** Posts fields as a form. */
function doCurlPost(string $url, array $fields): string
{
    $handle = curl_init($url);
    curl_setopt($handle, CURLOPT_POST, true);
    curl_setopt($handle, CURLOPT_POSTFIELDS, http_build_query($fields));
    return runCurl($handle, 'POST', $url);
}

function runCurl($handle, string $method, string $url): string
{
    $began = microtime(true);
    $body = curl_exec($handle);
    logRequest($method, $url, curl_getinfo($handle, CURLINFO_HTTP_CODE), microtime(true) - $began);
    curl_close($handle);
    return (string) $body;
}

function logRequest(string $method, string $url, int $status, float $seconds): void
{
    error_log(sprintf('%s %s %d %dms', $method, $url, $status, $seconds * 1000), 3, '/var/log/shop/requests.log');
}
""",
    "tests/CurlTest.php": """\
<?php
use PHPUnit\\Framework\\TestCase;

final class CurlTest extends TestCase
{
    public function testDoCurlGetReturnsTheBody(): void
    {
        $this->assertSame('ok', doCurlGet('http://localhost/ping'));
    }
}
""",
    "public/js/cart.js": """\
// The shopping cart in the browser.
import { sendJson } from './http.js';

export class Cart {
  constructor(storage) {
    this.storage = storage;
    this.lines = JSON.parse(storage.getItem('cart') || '[]');
  }

  /** Adds a product, or more of one that is there already. */
  add(product, count = 1) {
    const line = this.lines.find((one) => one.id === product.id);
    if (line) line.count += count;
    else this.lines.push({ id: product.id, price: product.price, count });
    this.storage.setItem('cart', JSON.stringify(this.lines));
  }

  total() {
    return this.lines.reduce((sum, line) => sum + line.price * line.count, 0);
  }

  checkout() {
    return sendJson('/orders', { lines: this.lines });
  }
}
""",
    "public/js/http.js": """\
/** Sends a body as JSON and gives the parsed reply; anything but a 2xx is an error. */
export async function sendJson(url, body) {
  const reply = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
  return reply.json();
}
""",
    "docs/deploy.md": """\
# Deploying the shop

## Containers

Build the image and start two web containers behind the balancer.

## Rolling back

Start the image of the day before; the database needs nothing, migrations only ever add columns.
""",
    ".gitignore": "/vendor/\n*.log\n",
    "vendor/lib.php": "<?php function vendored() { return 1; }\n",
    "composer.lock": "{}\n",
}


def write_shop(root: Path) -> Path:
    """Write the application's files below `root` and return it."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root
