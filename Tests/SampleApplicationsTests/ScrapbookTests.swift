import FoundationEssentials
import Preservation
import RepriseControl
import SampleApplications
import StateRestoration
import TestSupport
import Testing

@testable import Reprise

@Suite struct ScrapbookTests {
    private func note(_ text: String, _ application: Application) async throws {
        try await application.command {
            _ = try $0.type(text, at: "tabs/notes/textView")
        }
    }

    @Test func `L6: state saved by another version is refused and added to the history`()
        async throws
    {
        var older = HostedApplication.scrapbook
        older.bundleVersion = "1"
        let storyboard = try ShippedStoryboard.text("Scrapbook.yaml")
            .replacing("bundleVersion: \"2\"", with: "bundleVersion: \"1\"")
        try await withScratchDirectory { directory in
            try await withApplication(
                older, in: directory, storyboards: ["Scrapbook.yaml": storyboard]
            ) { try await note("of version 1", $0) }
            let history =
                "\(directory)/state/Saved Application State/org.reprise.Scrapbook.savedState/history"
            // Remove the generation that the stop added, because it would also satisfy the check
            // below.
            try FileManager.default.removeItem(atPath: history)
            try await withApplication(.scrapbook, in: directory) { application async throws in
                #expect(try await application.report().isRefused)
                #expect(
                    try await application.value("text", at: "tabs/notes/textView") == .string(""))
                try await note("of version 2", application)
            }
            let after = try FileManager.default.contentsOfDirectory(atPath: history)
            let kept = after.contains { name in
                let bytes = (try? Data(contentsOf: URL(filePath: "\(history)/\(name)"))) ?? Data()
                return bytes.contains("of version 1".utf8)
            }
            #expect(kept)
            try await withApplication(.scrapbook, in: directory) { application async throws in
                #expect(!(try await application.report().isRefused))
                #expect(
                    try await application.value("text", at: "tabs/notes/textView")
                        == .string("of version 2"))
            }
        }
    }

    @Test func `A4: the selection and the picture of the notes are restored`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.scrapbook, in: directory) { application async throws in
                try await application.command {
                    _ = try $0.type(
                        "wörld 🌍", selecting: 2..<4, at: "tabs/notes/textView")
                }
                try await application.command { _ = try $0.tap(at: "tabs/notes/@pictureButton") }
            }
            try await withApplication(.scrapbook, in: directory) { application async throws in
                #expect(
                    try await application.value("selectedRange", at: "tabs/notes/textView")
                        == .object(["lowerBound": .integer(2), "upperBound": .integer(4)]))
                guard
                    case .string(let image) = try await application.value(
                        "image", at: "tabs/notes")
                else {
                    Issue.record("no image")
                    return
                }
                #expect(image.count > 100)
                #expect(try await application.report().unrestored == [])
            }
        }
    }

    @Test func `P12: the clipboard is restored because it is a registered object`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.scrapbook, in: directory) { application in
                try await note("copied", application)
                try await application.command { _ = try $0.tap(at: "tabs/notes/@copyButton") }
                try await note("", application)
            }
            try await withApplication(.scrapbook, in: directory) { application async throws in
                #expect(try await application.value("text", at: "clipboard") == .string("copied"))
                try await application.command { _ = try $0.tap(at: "tabs/notes/@pasteButton") }
                let text = try await application.value("text", at: "tabs/notes/textView")
                #expect(text == .string("copied"))
            }
        }
    }
}
