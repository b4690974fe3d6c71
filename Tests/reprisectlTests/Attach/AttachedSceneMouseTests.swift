import RepriseControl
import Testing

@testable import reprisectl

/// Effects of the mouse on a scene in the terminal client.
@Suite struct AttachedSceneMouseTests {
    @Test func `a click focuses the element in this line and column`() {
        var form = AttachedSceneTests.scene(AttachedSceneTests.form)
        #expect(form.press(.click(line: 0, column: 12)) == .moved)
        #expect(form.focus == .init(path: "segments", elementIndex: 1))
        #expect(form.press(.click(line: 1, column: 50)) == .nothing)
        #expect(form.focus == .init(path: "segments", elementIndex: 1))
    }

    @Test func `only the first release after a click taps a button`() {
        var form = AttachedSceneTests.scene(AttachedSceneTests.form)
        #expect(form.press(.click(line: 3, column: 2)) == .moved)
        #expect(
            form.press(.release(line: 3, column: 2))
                == .operation(.tap(path: "button", row: nil)))
        #expect(form.press(.release(line: 3, column: 2)) == .nothing)
    }

    @Test func `a click on a disabled element cancels an earlier click`() {
        var form = AttachedSceneTests.scene(AttachedSceneTests.form)
        #expect(form.press(.click(line: 3, column: 2)) == .moved)
        #expect(form.press(.click(line: 2, column: 2)) == .nothing)
        #expect(form.press(.release(line: 3, column: 2)) == .nothing)
    }

    @Test func `only rows can be dragged`() {
        var form = AttachedSceneTests.scene(AttachedSceneTests.form)
        #expect(form.press(.click(line: 0, column: 2)) == .moved)
        #expect(form.press(.release(line: 0, column: 12)) == .nothing)
    }

    @Test func `the wheel scrolls only a list or a scroll view under the pointer`() {
        var form = AttachedSceneTests.scene(AttachedSceneTests.form)
        #expect(form.press(.wheel(line: 3, column: 2, by: 1)) == .nothing)
        var list = AttachedSceneTests.scene(AttachedSceneTests.list(rows: 0..<3))
        #expect(
            list.press(.wheel(line: 0, column: 0, by: 2))
                == .operation(.scroll(path: "list", x: 0, y: 2)))
        #expect(list.press(.wheel(line: 8, column: 0, by: 2)) == .nothing)
    }

    @Test func `the wheel scrolls a list no further than its first line`() {
        var list = AttachedSceneTests.scene(AttachedSceneTests.list(rows: 0..<3))
        #expect(
            list.press(.wheel(line: 0, column: 0, by: -1))
                == .operation(.scroll(path: "list", x: 0, y: 0)))
    }
}
