import ControllerKit
import Testing

@Suite struct WindowTests {
    @Test func `R1: becoming key loads the root's view`() {
        let window = Window()
        let root = FieldController()
        window.rootViewController = root
        #expect(!root.isViewLoaded)
        #expect(window.drawn(columns: 20).split(separator: "\n").count == 2)
        window.makeKeyAndVisible()
        #expect(window.isKeyWindow)
        #expect(root.loads == 1)
    }

    @Test func `a key window loads the view of a new root`() {
        let window = Window()
        window.makeKeyAndVisible()
        let root = FieldController()
        window.rootViewController = root
        #expect(root.isViewLoaded)
    }

    @Test func `a window is drawn in a frame of the promised width`() {
        let window = Window()
        let root = FieldController()
        root.field.text = "hello"
        window.rootViewController = root
        window.makeKeyAndVisible()
        #expect(
            window.drawn(columns: 20) == """
                ┌──────────────────┐
                │ ┌──────────────┐ │
                │ │ hello▏       │ │
                │ └──────────────┘ │
                └──────────────────┘
                """)
    }
}
