import ControllerKit
import RepriseControl
import StateRestoration
import Testing

@testable import Reprise

/// What a command answers when what it changed is not preserved.
@Suite struct OmissionTests {
    private static let listLoss =
        "main/@OperatedList is not preserved: it has no restoration identifier"
    private static let mainLoss =
        "@OperatedController is not preserved: it has no restoration identifier"

    @Test func `V2: what a view preserves of itself is lost without its identifier`() throws {
        let scene = try OperatedScene(unnamed: ["list", "pages", "text"])
        let list = "main/@OperatedList"
        #expect(try scene.commands.select([1], at: list) == Self.listLoss)
        #expect(try scene.commands.select(identifiers: ["a"], at: list) == Self.listLoss)
        #expect(try scene.commands.tap(row: 0, at: list) == Self.listLoss)
        #expect(try scene.commands.edit(true, at: list) == Self.listLoss)
        let pages = "main/@OperatedPages"
        let loss = "\(pages) is not preserved: it has no restoration identifier"
        #expect(try scene.commands.scroll(to: .zero, at: pages) == loss)
        #expect(try scene.commands.zoom(to: 2, at: pages) == loss)
        #expect(try scene.commands.load("a:b", at: pages) == loss)
        #expect(try scene.commands.back(at: pages) == loss)
        #expect(try scene.commands.forward(at: pages) == loss)
        let text = "main/@OperatedText"
        #expect(
            try scene.commands.type(nil, selecting: 0..<0, at: text)
                == "\(text) is not preserved: it has no restoration identifier")
    }

    @Test func `V4: what the controller holds is preserved without the view's identifier`() throws {
        let scene = try OperatedScene(unnamed: ["text", "button"])
        #expect(try scene.commands.type("x", at: "main/@OperatedText") == nil)
        #expect(try scene.commands.tap(at: "main/@OperatedButton") == nil)
    }

    @Test func `P6: without the controller's identifier nothing of its views is preserved`() throws
    {
        let scene = try OperatedScene(identifier: nil)
        let above = "@OperatedController"
        #expect(try scene.commands.type("x", at: "\(above)/text") == Self.mainLoss)
        #expect(try scene.commands.tap(at: "\(above)/button") == Self.mainLoss)
        #expect(try scene.commands.select([0], at: above) == Self.mainLoss)
        #expect(
            try scene.commands.scroll(to: .zero, at: "\(above)/pages")
                == "\(above)/pages is not preserved: \(above), above it, has no restoration "
                + "identifier")
    }

    @Test func `P19: what is moved and deleted is the model's, and saved with it`() throws {
        let scene = try OperatedScene(identifier: nil)
        #expect(try scene.commands.move(from: 0, to: 1, at: "@OperatedController/list") == nil)
        #expect(try scene.commands.delete(row: 0, at: "@OperatedController/list") == nil)
    }
}
