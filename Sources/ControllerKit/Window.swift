import StateRestoration

/// What shows a scene's root view controller.
public final class Window {
    /// The controller at the root of the scene's tree (P5).
    public var rootViewController: ViewController? {
        didSet {
            oldValue?.restoration.invalidateStructure()
            if isKeyWindow { rootViewController?.loadViewIfNeeded() }
        }
    }

    /// Whether the window shows its root.
    public private(set) var isKeyWindow = false

    /// A window without a root.
    public init() {}

    /// Shows the root, which loads the views of what it shows (R1).
    public func makeKeyAndVisible() {
        isKeyWindow = true
        rootViewController?.loadViewIfNeeded()
    }

    /// The window as text: what a person would see.
    ///
    /// - Parameter columns: the width of the picture, frame included.
    public func drawn(columns: Int = 44) -> String {
        var canvas = TextCanvas(width: columns - 4)
        if isKeyWindow { rootViewController?.view.draw(on: &canvas) }
        return canvas.framed
    }
}
