import ArgumentParser
import ExactText
import RepriseControl

/// What can stand at a place of the command line, for a shell that completes it: the names that the
/// daemon has at this moment.
///
/// It answers fast or not at all, and launches nothing: of scenes only those that run are looked at.
struct LiveCompletion {
    /// How long the daemon may take, for all questions together.
    private static let patience = Duration.milliseconds(400)
    private let names: LiveNames
    private let application: String?
    private let scene: String?
    /// What is neither the program, nor an option or its value, up to the word that is completed.
    private let arguments: [String]

    /// - Parameters:
    ///   - words: The command line as the shell has it, with its quotes.
    ///   - index: The place of the word that is completed.
    /// - Returns: nil for a command line that no daemon is asked for, or one of another host.
    private init?(_ words: [String], _ index: Int) {
        var options: [String: String] = [:]
        var arguments: [String] = []
        var rest = words.prefix(index).dropFirst().map(Self.unquoted)[...]
        let behind = words.dropFirst(index + 1).map(Self.unquoted)
        while let word = rest.popFirst() {
            if CommandWords.optionsWithValue.contains(word) {
                // bash gives the = of --app=x as a word of its own.
                if rest.first == "=" { rest.removeFirst() }
                options[word] = rest.popFirst()
            } else if let end = word.firstIndex(of: "="), word.hasPrefix("--") {
                options[String(word[..<end])] = String(word[word.index(after: end)...])
            } else if !word.hasPrefix("-") {
                arguments.append(word)
            }
        }
        for (option, value) in zip(behind, behind.dropFirst()) where option.hasPrefix("--") {
            options[option] = options[option] ?? value
        }
        if options["--host"] != nil || options["-H"] != nil { return nil }
        self.arguments = arguments
        application = options["--app"]
        scene = options["--scene"]
        names = LiveNames(
            DaemonConnection(socket: options["--socket"]), within: Self.patience)
    }

    private static func unquoted(_ word: String) -> String {
        do {
            return try QuotedWords(word).words.first ?? ""
        } catch {
            return word  // The quote is still open.
        }
    }

    /// A way to complete with the names that a body gives.
    private static func kind(
        _ names: @escaping @Sendable (LiveCompletion) -> [String]
    ) -> CompletionKind {
        .custom { words, index, _ in
            guard let completion = LiveCompletion(words, index) else { return [] }
            return names(completion).prefix(NearestName.maximumCandidates).compactMap(written)
        }
    }

    /// A name as the shell that asks has to get it; nil if it cannot be offered, as one of several
    /// lines.
    private static func written(_ name: String) -> String? {
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return nil
        }
        return switch CompletionShell.requesting {
        // compgen -W expands each word that is not quoted: a name could be a command.
        case .bash?: "'" + name.replacing("'", with: #"'\''"#) + "'"
        // _describe takes what stands behind a colon for a description.
        case .zsh?: name.replacing("\\", with: #"\\"#).replacing(":", with: #"\:"#)
        default: name
        }
    }
}

extension LiveCompletion {
    /// The applications' bundle identifiers.
    static let applications = kind { $0.names.applications().map(\.bundleIdentifier) }

    /// The scenes of the application.
    static let scenes = kind { $0.scenes { _ in true } }

    /// The scenes that can be opened: those that do not run.
    static let closedScenes = kind { $0.scenes { !$0 } }

    /// The scenes that can be closed: those that run.
    static let openScenes = kind { $0.scenes { $0 } }

    /// The paths of the scene's objects.
    static let paths = kind { completion in
        completion.runningScene().map { completion.names.paths($0.application, $0.scene) } ?? []
    }

    /// The keys of the object that is named before.
    static let keys = kind { completion in
        guard let path = completion.arguments.last, let place = completion.runningScene() else {
            return []
        }
        return completion.names.keys(of: path, place.application, place.scene)
    }

    /// The commands of the object that is named before.
    static let commands = kind { completion in
        guard let path = completion.arguments.last, let place = completion.runningScene() else {
            return []
        }
        return completion.names.commands(of: path, place.application, place.scene)
    }

    /// The generations of the application.
    static let generations = kind { $0.names.generations($0.application) }

    /// What the application has in quarantine.
    static let quarantined = kind { $0.names.quarantined($0.application) }

    private func scenes(_ isWanted: (_ isRunning: Bool) -> Bool) -> [String] {
        listed()?.scenes.filter { isWanted($0.phase == .running) }.map(\.name) ?? []
    }

    private func listed() -> ListedApplication? {
        names.applications().first { application == nil || $0.bundleIdentifier == application }
    }

    /// The scene that is meant, or without a name the first that runs, by its own name: asked
    /// without one the daemon might launch another.
    private func runningScene() -> (application: String, scene: String)? {
        guard let listed = listed(), listed.phase == .running else { return nil }
        let running = listed.scenes.filter { $0.phase == .running }.map(\.name)
        guard let name = running.first(where: { scene == nil || $0 == scene }) else { return nil }
        return (listed.bundleIdentifier, name)
    }
}
