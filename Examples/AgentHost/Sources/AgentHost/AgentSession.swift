import Preservation
import StateRestoration

/// A conversation with an agent, which can ask another agent for help.
final class AgentSession: StateRestoring {
    let restoration = RestorationNode()
    let name: String
    @Restorable("turns") private(set) var turns = 0
    /// The conversation so far, one line per turn.
    @Restorable("transcript") private(set) var transcript = ""
    @Restorable("isEnded") private(set) var isEnded = false
    /// The session that this agent asks for help.
    var helper: AgentSession? {
        didSet { invalidateRestorableState() }
    }
    /// The agent's credentials, which are never saved and are fetched again after a restart.
    private(set) var token = Sensitive("")

    init(_ name: String) {
        self.name = name
    }

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$turns)
        visitor.visit(&$transcript)
        visitor.visit(&$isEnded)
    }

    func encodeRestorableState(with coder: StateEncoder) {
        coder.encode(helper, forKey: "helper")
        coder.encode(token, forKey: "token")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        helper = try coder.decodeObject(forKey: "helper")
    }

    /// Logs the agent in.
    func begin(with token: String) {
        self.token = Sensitive(token)
    }

    /// Adds a turn to the conversation.
    func say(_ text: String) throws {
        if isEnded { throw SessionError.ended(name) }
        turns += 1
        transcript += "\(turns) \(text)\n"
        if turns.isMultiple(of: 10), let helper, !helper.isEnded {
            try helper.say("\(name) asks: \(text)")
        }
    }

    /// Whether the transcript contains every turn.
    var isWhole: Bool {
        transcript.split(separator: "\n").map { $0.prefix { $0 != " " } }
            .elementsEqual((0..<turns).map { "\($0 + 1)" }, by: ==)
    }
}

extension AgentSession: AsyncStateRestoring {
    func finishRestoring(in scene: Scene) async throws {
        begin(with: try await Vault.token(of: name))
    }
}

extension AgentSession: CommandProviding {
    var commands: [ProvidedCommand] {
        [
            ProvidedCommand(
                "say", summary: "Says something and returns the number of turns.",
                CommandParameter("text", summary: "What to say.", String.self)
            ) { text in
                try self.say(text)
                return self.turns
            },
            ProvidedCommand("end", summary: "Ends the conversation.") { self.isEnded = true },
        ]
    }
}

enum SessionError: Error, CustomStringConvertible {
    case ended(String)

    var description: String {
        switch self {
        case .ended(let name): "the conversation \(name) has ended"
        }
    }
}

extension ObjectKey<AgentSession> {
    static var sessions: Self { "sessions" }
}

/// The source of the agents' credentials.
enum Vault {
    static func token(of name: String) async throws -> String {
        await Task.yield()
        return "correct-horse-battery-staple-\(name)"
    }
}
