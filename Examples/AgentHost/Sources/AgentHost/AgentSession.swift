import Preservation
import StateRestoration

/// A long conversation with an agent, which may ask another one.
final class AgentSession: StateRestoring {
    let restoration = RestorationNode()
    let name: String
    @Restorable("turns") private(set) var turns = 0
    /// What was said, a line for each turn.
    @Restorable("transcript") private(set) var transcript = ""
    @Restorable("isEnded") private(set) var isEnded = false
    /// Session that this one asks when it knows no answer.
    var helper: AgentSession? {
        didSet { invalidateRestorableState() }
    }
    /// What the agent is logged in with. It is never saved, and fetched anew after a restart.
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

    /// The agent is logged in.
    func begin(with token: String) {
        self.token = Sensitive(token)
    }

    /// The next turn of the conversation.
    func say(_ text: String) throws {
        if isEnded { throw SessionError.ended(name) }
        turns += 1
        transcript += "\(turns) \(text)\n"
        if turns.isMultiple(of: 10), let helper, !helper.isEnded {
            try helper.say("\(name) asks: \(text)")
        }
    }

    /// Whether everything that was said is there.
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
                "say", summary: "Says something, and tells how many turns there were.",
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

/// Where secrets come from.
enum Vault {
    static func token(of name: String) async throws -> String {
        await Task.yield()
        return "correct-horse-battery-staple-\(name)"
    }
}
