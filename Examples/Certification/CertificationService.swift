import Synchronization
import Varlink

/// An implementation of `org.varlink.certification`, an interface for testing implementations of
/// Varlink.
///
/// A client calls the methods in order. The parameters of each call are the values in the previous
/// reply.
struct CertificationService: Sendable {
    /// The step that each client is expected to perform next.
    private final class Progress: Sendable {
        private let next = Mutex<[String: Int]>([:])

        func begin() -> String {
            next.withLock { next in
                let client = "client \(next.count + 1)"
                next[client] = 1
                return client
            }
        }

        /// Advances a client if it calls the expected method.
        ///
        /// - Returns: Whether the client calls the expected method.
        func advance(_ client: String?, to step: Int) -> Bool {
            next.withLock { next in
                guard let client, next[client] == step else { return false }
                next[client] = step + 1
                return true
            }
        }
    }

    private let definition: InterfaceDefinition
    private let progress = Progress()

    /// Creates an implementation of the interface.
    ///
    /// - Parameter text: The definition of the interface.
    init(definition text: String) throws {
        definition = try InterfaceDefinition(parsing: text)
    }

    /// Returns the interface with the implementations of its methods.
    func interface() throws -> InterfaceImplementation {
        var interface = InterfaceImplementation(definition)
        try interface.on("Start") { (_: Empty, _) in Messages.Start(client_id: progress.begin()) }
        try scalars(in: &interface)
        try collections(in: &interface)
        try interface.on("Test10", isStreaming: true) {
            (everything: Messages.Everything, context) in
            try check(everything, Messages.Everything(), \.client_id, step: 10)
            guard let stream = context.stream else { throw VarlinkError.expectedMore }
            for number in 1..<10 {
                try await stream.reply(Messages.Text(string: "Reply number \(number)"))
            }
            return Messages.Text(string: "Reply number 10")
        }
        try interface.on("Test11") { (replies: Messages.LastReplies, context) in
            guard context.oneway else { throw refusal("a oneway call", "another") }
            try check(replies, Messages.LastReplies(), \.client_id, step: 11)
            return Empty()
        }
        try interface.on("End") { (call: Messages.Start, _) in
            guard progress.advance(call.client_id, to: 12) else {
                throw refusal("the methods in their order", "End")
            }
            return Messages.End(all_ok: true)
        }
        return interface
    }

    private func scalars(in interface: inout InterfaceImplementation) throws {
        try interface.on("Test01") { (call: Messages.Start, _) in
            guard progress.advance(call.client_id, to: 1) else {
                throw refusal("the methods in their order", "Test01")
            }
            return Messages.Boolean(bool: true)
        }
        try interface.on("Test02") { (boolean: Messages.Boolean, _) in
            try check(boolean, Messages.Boolean(bool: true), \.client_id, step: 2)
            return Messages.Number(int: 1)
        }
        try interface.on("Test03") { (number: Messages.Number, _) in
            try check(number, Messages.Number(int: 1), \.client_id, step: 3)
            return Messages.Fraction(float: 1)
        }
        try interface.on("Test04") { (fraction: Messages.Fraction, _) in
            try check(fraction, Messages.Fraction(float: 1), \.client_id, step: 4)
            return Messages.Text(string: "ping")
        }
        try interface.on("Test05") { (text: Messages.Text, _) in
            try check(text, Messages.Text(string: "ping"), \.client_id, step: 5)
            return Messages.Scalars()
        }
    }

    private func collections(in interface: inout InterfaceImplementation) throws {
        try interface.on("Test06") { (scalars: Messages.Scalars, _) in
            try check(scalars, Messages.Scalars(), \.client_id, step: 6)
            return Messages.Structure()
        }
        try interface.on("Test07") { (structure: Messages.Structure, _) in
            try check(structure, Messages.Structure(), \.client_id, step: 7)
            return Messages.Mapping()
        }
        try interface.on("Test08") { (mapping: Messages.Mapping, _) in
            try check(mapping, Messages.Mapping(), \.client_id, step: 8)
            return Messages.Names()
        }
        try interface.on("Test09") { (names: Messages.Names, _) in
            try check(names, Messages.Names(), \.client_id, step: 9)
            return Messages.Everything()
        }
    }

    /// Checks the order and the parameters of a call.
    ///
    /// - Throws: `CertificationError` if the call is out of order or has wrong parameters.
    private func check<Message: Encodable & Equatable>(
        _ message: Message, _ wanted: Message,
        _ client: WritableKeyPath<Message, String?>, step: Int
    ) throws {
        var wanted = wanted
        wanted[keyPath: client] = message[keyPath: client]
        guard progress.advance(message[keyPath: client], to: step) else {
            throw refusal("the methods in their order", "number \(step)")
        }
        guard message == wanted else { throw refusal("\(wanted)", "\(message)") }
    }

    private func refusal(_ wanted: String, _ got: String) -> VarlinkError {
        struct Parameters: Encodable {
            let wants, got: [String: String]
        }
        do {
            return try VarlinkError(
                name: "org.varlink.certification.CertificationError",
                encoding: Parameters(wants: ["call": wanted], got: ["call": got]))
        } catch {
            return VarlinkError(name: "org.varlink.certification.CertificationError")
        }
    }
}
