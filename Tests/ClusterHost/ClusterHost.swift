import Glibc
import Preservation
import Reprise
import StateRestoration

/// A daemon that hosts as many applications as it is told to, for tests of many of them.
@main struct ClusterHost {
    static func main() async {
        let count = getenv("REPRISE_COUNT").flatMap { Int(String(cString: $0)) } ?? 1
        await Daemon.main(
            ProgramDescription(name: "clusterhost", version: "1"),
            applications: (0..<count).map { number in
                HostedApplication(
                    bundleIdentifier: "org.example.App\(number)", bundleVersion: "1"
                ) { objects in
                    try objects.add(Note(), as: "note")
                }
            })
    }
}

/// A text that a command changes.
final class Note: StateRestoring, CommandProviding {
    let restoration = RestorationNode()
    @Restorable("text") private var text = ""

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$text) }

    var commands: [ProvidedCommand] {
        [
            ProvidedCommand(
                "write", summary: "Replaces the text.",
                CommandParameter("text", summary: "The text.", String.self)
            ) { text in
                self.text = text
            },
            ProvidedCommand("read", summary: "Gives the text.") { self.text },
        ]
    }
}
