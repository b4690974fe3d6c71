import Glibc
import Logging
import Testing

@testable import Systemd

@Suite struct StderrLogHandlerTests {
    private let queue = LogQueue { _ in true }

    /// Returns the lines written to a wire so far, one string for each `write(2)`.
    private func pieces(of pipe: borrowing MessagePipe) -> [String] {
        #expect(queue.flush(within: .seconds(600)))
        return pipe.pieces()
    }

    @Test func `an event is written in one write, even with line feeds`() throws {
        let pipe = try MessagePipe()
        let handler = StderrLogHandler(style: .priorityPrefix, queue: queue, descriptor: pipe.input)
        let logger = Logger(label: "l") { _ in handler }
        logger.info("one\ntwo", metadata: ["k": "v"])
        logger.critical("three")
        #expect(pieces(of: pipe) == ["<6>one\\ntwo k=v\n", "<2>three\n"])
    }

    @Test func `events below the logger's level are not written`() throws {
        let pipe = try MessagePipe()
        var handler = StderrLogHandler(style: .levelPrefix, queue: queue, descriptor: pipe.input)
        handler.logLevel = .error
        let logger = Logger(label: "l") { _ in handler }
        logger.warning("no")
        logger.error("yes")
        #expect(pieces(of: pipe) == ["error: yes\n"])
    }

    @Test func `metadata of a copied logger does not affect the original`() throws {
        let pipe = try MessagePipe()
        let handler = StderrLogHandler(style: .levelPrefix, queue: queue, descriptor: pipe.input)
        let first = Logger(label: "l") { _ in handler }
        var second = first
        second[metadataKey: "k"] = "v"
        first.info("1")
        second.info("2")
        #expect(pieces(of: pipe) == ["info: 1\n", "info: 2 k=v\n"])
    }
}
