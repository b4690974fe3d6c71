import ArgumentParser
import FoundationEssentials
import RepriseControl

/// A command that is one method of the control interface.
protocol ControlCommand: ParsableCommand {
    associatedtype Parameters: Encodable
    associatedtype Answer: Decodable
    associatedtype Scope: ControlScope

    /// The method.
    static var method: ControlMethod { get }
    /// Whether calling twice does the same as calling once.
    var isRepeatable: Bool { get }
    /// What the method is about.
    var options: Scope { get }

    /// What the method is called with.
    var parameters: Parameters { get }
    /// Prints the answer for a person.
    func present(_ answer: Answer)
}

extension ControlCommand {
    var isRepeatable: Bool { true }

    mutating func run() throws {
        let connection = try DaemonConnection(
            option: options.daemon.socket, environment: ProcessInfo.processInfo.environment)
        let reply = try connection.call(
            Self.method, parameters, isRepeatable: isRepeatable)
        if options.daemon.json {
            Terminal.write(String(decoding: reply, as: UTF8.self))
            return
        }
        let answer: Answer
        do {
            answer = try ControlJSON.decode(Answer.self, from: reply)
        } catch {
            throw Failure(
                "the daemon's reply to \(Self.method.rawValue) is of another shape than expected: "
                    + "daemon and reprisectl may be of different versions.")
        }
        present(answer)
    }
}

/// JSON as the control interface carries it.
enum ControlJSON {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}
