// The code in docs/varlink.md, compiled here. script/check-docs compares this file with the
// document.
import Glibc
import Logging
import NIOPosix
import Varlink
import VarlinkServing

func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec
}

let definition = try InterfaceDefinition(
    parsing: """
        interface org.example.Clock
        method Now() -> (seconds: int)
        # Several replies: call it with more.
        method Tick(times: int) -> (seconds: int)
        # A fault of the service, which its log tells more of.
        error InternalError (message: string)
        """)
struct Time: Codable, Sendable { var seconds: Int }
struct Times: Codable, Sendable { var times: Int }

var clock = InterfaceImplementation(definition)
try clock.on("Now", isLooking: true) { (_: Empty, _) in Time(seconds: now()) }
try clock.on("Tick", isLooking: true, isStreaming: true) { (times: Times, context) in
    guard times.times > 0 else { throw VarlinkError.invalidParameter("times") }
    guard let stream = context.stream else { throw VarlinkError.expectedMore }
    for _ in 1..<times.times {
        try await stream.reply(Time(seconds: now()))
        try await Task.sleep(for: .seconds(1))
    }
    return Time(seconds: now())
}

func ask() throws {
    let client = try VarlinkClient(path: "/run/clock/socket", timeout: .seconds(5))
    let now = try client.call("org.example.Clock.Now", returning: Time.self)
    try client.follow("org.example.Clock.Tick", json: try JSONText.encode(Times(times: 3))) {
        reply in
        print(now.seconds, try JSONText.decode(Time.self, from: reply).seconds)
    }
}

let server = try VarlinkServer(
    info: ServiceInfo(
        vendor: "Example", product: "clock", version: "1", url: "https://example.org"),
    interfaces: [clock], group: MultiThreadedEventLoopGroup.singleton,
    logger: Logger(label: "clock"))
try await server.listen(path: "/run/clock/socket", mode: 0o660)
await server.run()
