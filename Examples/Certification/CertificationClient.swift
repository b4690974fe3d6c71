import Varlink

/// A client that calls the methods of `org.varlink.certification` in order.
///
/// The parameters of each call are the values in the previous reply.
struct CertificationClient {
    private let client: VarlinkClient
    private var identifier = ""

    /// Creates a client that is connected to a service.
    ///
    /// - Parameter path: The path of the service's socket.
    init(path: String) throws {
        client = try VarlinkClient(path: path)
    }

    /// Calls all methods.
    ///
    /// - Throws: An error if the service rejects a call or sends a wrong reply.
    mutating func run() throws {
        identifier = try call("Start", Empty(), Messages.Start.self).client_id
        let start = Messages.Start(client_id: identifier)
        let boolean = try call("Test01", start, Messages.Boolean.self)
        let number = try call("Test02", with(boolean, \.client_id), Messages.Number.self)
        let fraction = try call("Test03", with(number, \.client_id), Messages.Fraction.self)
        let text = try call("Test04", with(fraction, \.client_id), Messages.Text.self)
        let scalars = try call("Test05", with(text, \.client_id), Messages.Scalars.self)
        let structure = try call("Test06", with(scalars, \.client_id), Messages.Structure.self)
        let mapping = try call("Test07", with(structure, \.client_id), Messages.Mapping.self)
        let names = try call("Test08", with(mapping, \.client_id), Messages.Names.self)
        let everything = try call("Test09", with(names, \.client_id), Messages.Everything.self)
        var replies: [String] = []
        try client.follow(
            Self.qualified("Test10"), json: try JSONText.encode(with(everything, \.client_id))
        ) { reply in
            replies.append(try JSONText.decode(Messages.Text.self, from: reply).string)
        }
        let last = Messages.LastReplies(client_id: identifier, last_more_replies: replies)
        try client.send(Self.qualified("Test11"), json: try JSONText.encode(last))
        let end = try call("End", start, Messages.End.self)
        guard end.all_ok else { throw CertificationFailed() }
    }

    /// The error that is thrown if the last reply reports that the certification failed.
    struct CertificationFailed: Error {}

    private func with<Message>(
        _ message: Message, _ client: WritableKeyPath<Message, String?>
    ) -> Message {
        var message = message
        message[keyPath: client] = identifier
        return message
    }

    private func call<Reply: Decodable>(
        _ method: String, _ parameters: some Encodable, _ type: Reply.Type
    ) throws -> Reply {
        try client.call(Self.qualified(method), parameters, returning: type)
    }

    private static func qualified(_ method: String) -> String {
        "org.varlink.certification.\(method)"
    }
}
