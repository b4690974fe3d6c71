import ControllerKit
import FoundationEssentials

/// A controller with a picture that the user can move and zoom, and a caption that the user can scroll.
///
/// The controller has no state of its own. Its views preserve which parts are visible.
final class PictureViewController: ViewController {
    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(views: [
            RequiredView("imageView", ImageView.self), RequiredView("caption", Label.self),
        ])
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        outlet("imageView", as: ImageView.self).image = Pictures.hills
        outlet("caption", as: Label.self).text = Pictures.caption
    }
}

/// The pictures of the scrapbook, which are generated in PGM format.
enum Pictures {
    static let caption = """
        Hills at night. The moon stands over the ridge to the right, the first meadow lies in its \
        light already, and only the valley between the hills in the middle is still dark. Zoom in \
        to see the ridge, and move the picture to see the moon.
        """

    /// A picture of two ridges and a meadow under the moon.
    static var hills: Image? {
        picture(width: 36, height: 8) { x, y in
            if (x - 28) * (x - 28) + 4 * (y - 1) * (y - 1) < 9 { return 255 }
            let ridges = [
                (7, 220), (5 + abs((x + 5) % 14 - 7) / 3, 150), (3 + abs(x % 18 - 9) / 3, 80),
            ]
            return ridges.first { y >= $0.0 }?.1 ?? 0
        }
    }

    /// A picture of the sun with a halo.
    static var sun: Image? {
        picture(width: 36, height: 4) { x, y in
            let distance = (x - 18) * (x - 18) + 9 * (2 * y - 3) * (2 * y - 3) / 4
            return max(0, 255 - distance * 2)
        }
    }

    private static func picture(
        width: Int, height: Int, _ shade: (_ x: Int, _ y: Int) -> Int
    ) -> Image? {
        var data = Data("P5 \(width) \(height) 255\n".utf8)
        for y in 0..<height {
            for x in 0..<width { data.append(UInt8(clamping: shade(x, y))) }
        }
        return try? Image(data: data)
    }
}
