import ArgumentParser
import ExactText
import RepriseControl

/// Shell completion that offers names from the running daemon.
///
/// Completion has a short timeout. It launches no scenes, so it offers paths, keys and commands only for running
/// scenes.
struct LiveCompletion {
    /// Timeout for all calls to the daemon together.
    private static let timeout = Duration.seconds(2)
    fileprivate let names: LiveNames
    fileprivate let bundleIdentifier: String?
    private let sceneName: String?
    /// Words before the word to complete, without the program name, options and option values.
    private let arguments: [String]

    /// Parses a command line for completion.
    ///
    /// - Parameters:
    ///   - words: Words on the command line as passed by the shell, including their quotes.
    ///   - index: Index of the word to complete.
    /// - Returns: `nil` if the command line calls a daemon on another host.
    private init?(_ words: [String], _ index: Int) {
        let words = words.dropFirst().map(Self.unquotedWord)
        let (earlierOptions, arguments) = Self.parse(words.prefix(max(0, index - 1)))
        let options = earlierOptions.merging(Self.parse(words.dropFirst(index)).options) {
            earlierValue, _ in earlierValue
        }
        if options["--host"] != nil || options["-H"] != nil { return nil }
        self.arguments = arguments
        bundleIdentifier = options["--app"]
        sceneName = options["--scene"]
        names = LiveNames(
            DaemonConnection(socket: options["--socket"]), within: Self.timeout)
    }

    /// Returns the values of the options among the given words, and the words that are neither options nor values.
    private static func parse(
        _ words: ArraySlice<String>
    ) -> (options: [String: String], arguments: [String]) {
        var options: [String: String] = [:]
        var arguments: [String] = []
        var remainingWords = words
        while let word = remainingWords.popFirst() {
            if CommandWords.optionsWithValue.contains(word) {
                // bash passes the `=` of `--app=x` as a separate word.
                if remainingWords.first == "=" { remainingWords.removeFirst() }
                options[word] = remainingWords.popFirst()
            } else if let equalsIndex = word.firstIndex(of: "="), word.hasPrefix("--") {
                options[String(word[..<equalsIndex])] = String(
                    word[word.index(after: equalsIndex)...])
            } else if !word.hasPrefix("-") {
                arguments.append(word)
            }
        }
        return (options, arguments)
    }

    private static func unquotedWord(_ word: String) -> String {
        do {
            return try QuotedWords(word).words.first ?? ""
        } catch {
            return word  // The quote is still open.
        }
    }

    /// Returns a completion kind that offers the names from a closure.
    fileprivate static func kind(
        _ names: @escaping @Sendable (LiveCompletion) -> [String]
    ) -> CompletionKind {
        .custom { words, index, _ in
            guard let completion = LiveCompletion(words, index) else { return [] }
            return names(completion).prefix(NearestName.maximumCandidates).compactMap(shellQuoted)
        }
    }

    /// Returns a name in the format that the requesting shell expects, or `nil` if the name cannot be offered, for
    /// example because it contains a newline.
    private static func shellQuoted(_ name: String) -> String? {
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return nil
        }
        return switch CompletionShell.requesting {
        // compgen -W expands every unquoted word, so a name could run a command.
        case .bash?: "'" + name.replacing("'", with: #"'\''"#) + "'"
        // _describe interprets the text after a colon as a description.
        case .zsh?: name.replacing("\\", with: #"\\"#).replacing(":", with: #"\:"#)
        default: name
        }
    }
}

extension CompletionKind {
    /// Completes the bundle identifiers of applications.
    static let applications = LiveCompletion.kind {
        $0.names.applications().map(\.bundleIdentifier)
    }

    /// Completes the names of the application's scenes.
    static let scenes = LiveCompletion.kind { $0.sceneNames { _ in true } }

    /// Completes the names of scenes that can be opened because they are not running.
    static let closedScenes = LiveCompletion.kind { $0.sceneNames { !$0 } }

    /// Completes the names of scenes that can be closed because they are running.
    static let openScenes = LiveCompletion.kind { $0.sceneNames { $0 } }

    /// Completes the paths of the scene's objects.
    static let paths = LiveCompletion.kind { completion in
        completion.runningScene().map { completion.names.paths($0.bundleIdentifier, $0.sceneName) }
            ?? []
    }

    /// Completes the keys of the object whose path precedes the word.
    static let keys = LiveCompletion.kind { $0.objectNames { $0.keys(of: $1, $2, $3) } }

    /// Completes the commands provided by the object whose path precedes the word.
    static let commands = LiveCompletion.kind { $0.objectNames { $0.commands(of: $1, $2, $3) } }

    /// Completes the application's generations.
    static let generations = LiveCompletion.kind { $0.names.generations($0.bundleIdentifier) }

    /// Completes the names of entries in the application's quarantine.
    static let quarantinedNames = LiveCompletion.kind {
        $0.names.quarantinedNames($0.bundleIdentifier)
    }
}

extension LiveCompletion {
    fileprivate func objectNames(
        _ listNames: (LiveNames, String, String?, String?) -> [String]
    ) -> [String] {
        guard let path = arguments.last, let target = runningScene() else { return [] }
        return listNames(names, path, target.bundleIdentifier, target.sceneName)
    }

    fileprivate func sceneNames(where isIncluded: (_ isRunning: Bool) -> Bool) -> [String] {
        selectedApplication()?.scenes.filter { isIncluded($0.phase == .running) }.map(\.name) ?? []
    }

    private func selectedApplication() -> ListedApplication? {
        names.applications().first {
            bundleIdentifier == nil || $0.bundleIdentifier == bundleIdentifier
        }
    }

    /// Returns the selected scene if it is running, or the first running scene if no scene is selected.
    ///
    /// Calls must name this scene explicitly, because the daemon might otherwise launch a different scene.
    fileprivate func runningScene() -> (bundleIdentifier: String, sceneName: String)? {
        guard let selectedApplication = selectedApplication(), selectedApplication.phase == .running
        else { return nil }
        let runningSceneNames = selectedApplication.scenes.filter { $0.phase == .running }.map(
            \.name)
        guard let name = runningSceneNames.first(where: { sceneName == nil || $0 == sceneName })
        else {
            return nil
        }
        return (selectedApplication.bundleIdentifier, name)
    }
}
