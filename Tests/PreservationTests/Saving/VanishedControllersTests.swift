import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Controllers that disappear from a scene, and whether this is reported.
@Suite struct VanishedControllersTests {
    /// Commands that run before a turn in which a controller of the scene `main` has disappeared.
    enum Commands: CaseIterable {
        /// No command may have changed a scene.
        case none
        /// A command to the scene itself.
        case own
        /// A command to the scene itself that has deleted the item of the controller.
        case deletion
        /// A command to another scene.
        case other
        /// Commands to the scene itself and to another scene.
        case both

        /// Predicate of the sentence that is logged, or `nil` if nothing is logged.
        var predicate: String? {
            switch self {
            case .none, .own: nil
            case .deletion: "contained unsaved changes and disappeared because its item was deleted"
            case .other: "disappeared because of a command to another scene"
            case .both: "disappeared during commands to this scene and to another scene"
            }
        }

        /// Reason for the generation that contains the controller, or `nil` if there is no such generation.
        var reason: String? {
            switch self {
            case .none, .own: nil
            case .deletion: "a deletion in the scene main removed unsaved changes"
            case .other, .both: "a command to another scene removed controllers of the scene main"
            }
        }
    }

    @Test(arguments: Commands.allCases)
    func `a controller that disappears is reported unless a command to its scene dismissed it`(
        commands: Commands
    ) throws {
        let bench = try TurnBench(scenes: ["main", "other"])
        let main = try #require(bench.scenes.table.launchedScenes.first)
        let delegate = try #require(main.scene.delegate as? NotesDelegate)
        switch commands {
        case .none:
            bench.perform(in: "main", isReadOnly: true)
            bench.perform(in: "other", isReadOnly: true)
        case .own:
            bench.perform(in: "main")
            bench.perform(in: "other", isReadOnly: true)
        case .deletion:
            bench.perform(in: "main")
            main.scene.hasRemovedUnsavedController = true
        case .other: bench.perform(in: "other")
        case .both:
            bench.perform(in: "main")
            bench.perform(in: "other")
        }
        bench.scenes.markDue(main)
        delegate.note = Note("new", bench.notes)
        bench.runTurn()
        let sentences = bench.log.entries.filter {
            $0.metadata["MESSAGE_ID"] == LogEvent.controllersVanished.rawValue
        }.map(\.message)
        #expect(sentences.count == (commands.predicate == nil ? 0 : 1))
        if let predicate = commands.predicate {
            #expect(sentences.first?.contains("note \(predicate); ") == true)
        }
        let reason = bench.bytes(of: "history/000001.archive.reason")
        #expect(reason.map { String(decoding: $0.dropLast(), as: UTF8.self) } == commands.reason)
    }
}
