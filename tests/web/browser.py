# SPDX-License-Identifier: GPL-3.0-or-later
"""browser.py - Chromium without a window, driven through chromedriver (W3C WebDriver, and its door to the DevTools).

Standard library only. Pointer and keys go through the browser's own input, so that pages cannot tell them from a person's.
"""
import base64
import http.client
import json
import os
import shutil
import subprocess
import tempfile
import time

# What every page is watched for, from before its first script runs.
WATCH = """
window.watched = { policy: [], alerts: 0 };
document.addEventListener('securitypolicyviolation', (e) => watched.policy.push(e.violatedDirective + ' ' + e.blockedURI));
window.alert = window.confirm = window.prompt = () => { watched.alerts++; };
"""

KEYS = {
    "Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowDown": (40, ""), "ArrowUp": (38, ""),
    "ArrowLeft": (37, ""), "ArrowRight": (39, ""), "Home": (36, ""), "End": (35, ""), " ": (32, " "),
}


class Missing(Exception):
    """Chromium or its driver is not installed."""


class Browser:
    def __init__(self, width=1280, height=1000):
        driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
        if not driver or not chromium:
            raise Missing("chromium and chromium-driver are needed: run scripts/setup check")
        self.home = tempfile.mkdtemp(prefix="schedlab-web-")
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.session = None
        try:
            self.port = self.said_port()
            arguments = ["--headless=new", f"--window-size={width},{height}", f"--user-data-dir={self.home}",
                         "--no-first-run", "--disable-extensions", "--force-color-profile=srgb", "--disable-dev-shm-usage",
                         "--disable-background-networking", "--disable-component-update"]
            if os.geteuid() == 0:
                arguments.append("--no-sandbox")  # Its sandbox refuses root.
            self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": {"binary": chromium, "args": arguments},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }}})["sessionId"]
            self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
            self.call("POST", self.at("/timeouts"), {"script": 60000, "pageLoad": 120000})
        except BaseException:
            self.close()
            raise

    def said_port(self):
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip(".\n").rsplit(" ", 1)[1])
        raise Missing("chromedriver does not start")

    def close(self):
        try:
            if self.session:
                self.call("DELETE", self.at(""))
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.home, ignore_errors=True)

    def at(self, path):
        return f"/session/{self.session}{path}"

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            text = None if method in ("GET", "DELETE") else json.dumps(body or {})
            connection.request(method, path, text, {"Content-Type": "application/json"})
            answer = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        value = answer.get("value")
        if isinstance(value, dict) and value.get("error"):
            raise RuntimeError(f"{path}: {value['error']}: {value.get('message', '').splitlines()[0]}")
        return value

    def cdp(self, command, **parameters):
        return self.call("POST", self.at("/goog/cdp/execute"), {"cmd": command, "params": parameters})

    def run(self, script, *arguments):
        """A function's body, with `arguments`; a promise that it returns is waited for."""
        return self.call("POST", self.at("/execute/sync"), {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=60):
        """Until the expression is true; its value."""
        until = time.monotonic() + seconds
        while True:
            value = self.run(f"return ({script})", *arguments)
            if value:
                return value
            if time.monotonic() > until:
                raise AssertionError(f"after {seconds} s it is still not so: {script}")
            time.sleep(0.03)

    def open(self, path, whole=True):
        """A page of ours, when all of it is there."""
        self.logs("browser")
        self.logs("performance")
        address = "file://" + path
        if self.run("return location.href.split('#')[0]") == address.split("#")[0]:
            self.call("POST", self.at("/url"), {"url": "about:blank"})
        self.call("POST", self.at("/url"), {"url": address})
        if whole:
            self.wait("document.documentElement.dataset.state === 'whole'")

    def logs(self, kind):
        return self.call("POST", self.at("/se/log"), {"type": kind})

    def frames(self):
        """Two frames go by: what was asked for is drawn."""
        self.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    # ---- Pointer and keys

    def mouse(self, kind, x, y, **more):
        self.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, x, y):
        self.mouse("mouseMoved", x - 3, y)
        self.mouse("mouseMoved", x, y)
        self.frames()

    def press(self, x, y, count=1):
        self.mouse("mouseMoved", x, y)
        for click in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=click)
            self.mouse("mouseReleased", x, y, button="left", clickCount=click)
        self.frames()

    def drag(self, x, y, to_x, to_y, modifiers=0):
        self.mouse("mouseMoved", x, y, modifiers=modifiers)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1, modifiers=modifiers)
        for step in range(1, 6):
            self.mouse("mouseMoved", x + (to_x - x) * step / 5, y + (to_y - y) * step / 5, button="left", buttons=1,
                       modifiers=modifiers)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1, modifiers=modifiers)
        self.frames()

    def wheel(self, x, y, delta, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta, modifiers=modifiers)
        self.frames()

    def key(self, key, shift=False):
        code, text = KEYS.get(key, (ord(key.upper()) if len(key) == 1 else 0, key))
        event = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        if text and not (shift and key == "Tab"):
            event["text"] = text
        self.cdp("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **event)
        event.pop("text", None)
        self.cdp("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        self.cdp("Input.insertText", text=text)

    def box(self, selector):
        """Where an element is in the window, after it was moved into sight."""
        found = self.run("""
            const e = document.querySelector(arguments[0]);
            if (!e) return null;
            e.scrollIntoView({ block: 'center', behavior: 'instant' });
            const r = e.getBoundingClientRect();
            return { x: r.x, y: r.y, width: r.width, height: r.height };""", selector)
        assert found, f"there is no {selector}"
        return found

    def click(self, selector):
        box = self.box(selector)
        self.press(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def choose(self, selector, value):
        """An option of a select."""
        self.run("""
            const e = document.querySelector(arguments[0]);
            e.value = arguments[1];
            e.dispatchEvent(new Event('change', { bubbles: true }));""", selector, value)
        self.frames()

    # ---- Surroundings

    def media(self, media="", **features):
        """Emulates: media="print", prefers_color_scheme="dark"."""
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])
        self.frames()

    def size(self, width=0, height=0):
        """0: the window's own again."""
        if width:
            self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        else:
            self.cdp("Emulation.clearDeviceMetricsOverride")
        self.frames()

    def pdf(self):
        return base64.b64decode(self.cdp("Page.printToPDF", printBackground=True, generateDocumentOutline=True)["data"])

    def picture(self, path, **clip):
        more = {"clip": dict(clip, scale=1)} if clip else {}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.cdp("Page.captureScreenshot", format="png", **more)["data"]))
