import Glibc
import Logging
import Testing

@testable import Systemd

@Suite struct StderrLogHandlerTests {
    private let queue = LogQueue { _ in true }

    /// Returns the lines written to a wire so far, one string for each `write(2)`.
    private func pieces(of wire: borrowing Wire) -> [String] {
        #expect(queue.flush(within: .seconds(600)))
        return wire.pieces()
    }

    @Test func `an event is written in one write, even with line feeds`() throws {
        let wire = try Wire()
        let handler = StderrLogHandler(style: .priority, queue: queue, descriptor: wire.input)
        let logger = Logger(label: "l") { _ in handler }
        logger.info("one\ntwo", metadata: ["k": "v"])
        logger.critical("three")
        #expect(pieces(of: wire) == ["<6>one\\ntwo k=v\n", "<2>three\n"])
    }

    @Test func `events below the logger's level are not written`() throws {
        let wire = try Wire()
        var handler = StderrLogHandler(style: .plain, queue: queue, descriptor: wire.input)
        handler.logLevel = .error
        let logger = Logger(label: "l") { _ in handler }
        logger.warning("no")
        logger.error("yes")
        #expect(pieces(of: wire) == ["error: yes\n"])
    }

    @Test func `metadata of a copied logger does not affect the original`() throws {
        let wire = try Wire()
        let handler = StderrLogHandler(style: .plain, queue: queue, descriptor: wire.input)
        let first = Logger(label: "l") { _ in handler }
        var second = first
        second[metadataKey: "k"] = "v"
        first.info("1")
        second.info("2")
        #expect(pieces(of: wire) == ["info: 1\n", "info: 2 k=v\n"])
    }
}
