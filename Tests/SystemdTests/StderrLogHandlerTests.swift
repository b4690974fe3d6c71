import Glibc
import Logging
import Testing

@testable import Systemd

@Suite struct StderrLogHandlerTests {
    @Test func `an event is one write, whatever it holds`() throws {
        let wire = try Wire()
        let handler = StderrLogHandler(style: .priority, descriptor: wire.input)
        let logger = Logger(label: "l") { _ in handler }
        logger.info("one\ntwo", metadata: ["k": "v"])
        logger.critical("three")
        #expect(wire.pieces() == ["<6>one\\ntwo k=v\n", "<2>three\n"])
    }

    @Test func `levels below the logger's are not written`() throws {
        let wire = try Wire()
        var handler = StderrLogHandler(style: .plain, descriptor: wire.input)
        handler.logLevel = .error
        let logger = Logger(label: "l") { _ in handler }
        logger.warning("no")
        logger.error("yes")
        #expect(wire.pieces() == ["error: yes\n"])
    }

    @Test func `metadata of a copy of a logger stays with the copy`() throws {
        let wire = try Wire()
        let handler = StderrLogHandler(style: .plain, descriptor: wire.input)
        let first = Logger(label: "l") { _ in handler }
        var second = first
        second[metadataKey: "k"] = "v"
        first.info("1")
        second.info("2")
        #expect(wire.pieces() == ["info: 1\n", "info: 2 k=v\n"])
    }

    @Test func `lines that a full descriptor refused are counted in the next one`() async {
        await #expect(processExitsWith: .success) {
            let wire = try Wire()
            let full = StderrLogHandler(style: .plain, descriptor: -1)
            Logger(label: "l") { _ in full }.info("1")
            Logger(label: "l") { _ in full }.info("2")
            let working = StderrLogHandler(style: .plain, descriptor: wire.input)
            Logger(label: "l") { _ in working }.info("3")
            Logger(label: "l") { _ in working }.info("4")
            #expect(wire.pieces() == ["info: 3 [2 earlier lines were lost]\n", "info: 4\n"])
        }
    }
}
