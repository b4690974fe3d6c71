@testable import Varlink

/// Fuzzer that parses bytes as messages. A parsed message must stay the same when it is written and parsed again.
enum MessageFuzzer {
    /// Maximum size of a call on the connection in bytes. It is small, so that inputs reach it.
    private static let limit = 64

    /// Single messages, and several messages on one connection.
    static var seeds: [[UInt8]] {
        let texts = [
            #"{"method":"org.varlink.service.GetInfo"}"#,
            #"{"method":"a.b.C","parameters":{"x":[1,-2.5e3,true,null,"é\u00e9\n"]},"more":true}"#,
            #" { "method" : "a.b.C" , "oneway" : true , "upgrade" : false , "parameters" : null } "#,
            #"{"parameters":{"a":{"b":{}}},"continues":true}"#,
            #"{"error":"a.b.E","parameters":{"reason":"\ud83c\udf0d"}}"#, "{}", "",
        ]
        let messages = texts.map { Array($0.utf8) }
        return messages.map { [1] + $0 } + messages
            + [[3] + messages[0] + [0] + messages[2] + [0], Array(messages.joined(separator: [0]))]
    }

    /// Checks that the parameters of a call are JSON and match its members.
    static func readAsCall(_ input: [UInt8]) {
        guard let call = try? Call(parsing: input) else { return }
        precondition(!(call.oneway && call.more))
        var reader = JSONReader(call.parameters)
        guard case .object(let members)? = try? reader.readValue(), reader.isAtEnd(),
            members == call.parameterMembers
        else { fatalError("the parameters of a call are not those that were read") }
    }

    static func readAsReply(_ input: [UInt8]) {
        guard let reply = try? ReplyMessage(parsing: input) else { return }
        let message = reply.message
        guard message.last == 0, let again = try? ReplyMessage(parsing: Array(message.dropLast()))
        else { fatalError("a reply that was written cannot be read") }
        precondition(again == reply)
    }

    /// Receives an input in chunks, whose size is determined by its first byte. The resulting calls must not depend on
    /// the size.
    static func receive(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        let calls = calls(bytes, inPiecesOf: Int(first) + 1)
        precondition(calls == self.calls(bytes, inPiecesOf: max(bytes.count, 1)))
    }

    private static func calls(_ bytes: [UInt8], inPiecesOf size: Int) -> [Call] {
        var connection = ServerConnection(
            maximumRequestBytes: limit,
            queue: {
                CallQueueIdentity(
                    interfaceName: $0.method, parameterNames: $0.more ? ["more"] : [],
                    parameterValues: [])
            },
            makeTooLargeError: { .permissionDenied })
        var calls: [Call] = []
        var offset = 0
        var action = connection.handleStart()
        while true {
            switch action {
            case .wait(read: true) where offset < bytes.count:
                let end = min(offset + size, bytes.count)
                action = bytes[offset..<end].withUnsafeBytes { connection.handleReceivedBytes($0) }
                offset = end
                precondition(connection.pendingByteCount <= max(limit, bytes.count))
            case .wait(read: true): action = connection.handleInputEnd()
            case .wait(read: false): fatalError("nothing is under way, and nothing is read")
            case .perform(let together):
                calls += together
                for call in together {
                    let (message, next) = connection.handleOutcome(.parameters(Array("{}".utf8)))
                    precondition((message == nil) == call.oneway)
                    action = next
                }
            case .refuse(let message, .tooLarge):
                precondition(message.last == 0)
                return calls
            case .refuse(_, let error): fatalError("a reply to what is no call: \(error)")
            case .close: return calls
            }
        }
    }
}
